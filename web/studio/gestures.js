// SPDX-License-Identifier: BSD-2-Clause
// Pointers on the view: one drags, two pinch, the wheel zooms.

const CLICK_DISTANCE = 4;
const WHEEL_SPEED = 0.0016;
const PINCH_WHEEL_SPEED = 0.01;

function position(canvas, event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

function between([a, b]) {
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2,
        distance: Math.hypot(a[0] - b[0], a[1] - b[1]) };
}

/** Calls handler: start(x, y, event), move(x, y), end(), abandon() of a drag with the tool;
 * click(x, y) of a drag that went nowhere; pan(dx, dy); zoom(factor, x, y); hover(x, y), leave().
 * start() returns false if the drag pans. */
export class Gestures {
    constructor(canvas, handler) {
        this.canvas = canvas;
        this.handler = handler;
        this.pointers = new Map();
        this.mode = null;
        canvas.addEventListener('pointerdown', (event) => this.down(event));
        canvas.addEventListener('pointermove', (event) => this.move(event));
        for (const name of ['pointerup', 'pointercancel'])
            canvas.addEventListener(name, (event) => this.up(event, name === 'pointercancel'));
        canvas.addEventListener('pointerleave', () => handler.leave());
        canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    }

    down(event) {
        if (event.button > 1)
            return;
        try {
            this.canvas.setPointerCapture(event.pointerId);
        } catch {
            // a pointer that has gone already
        }
        const at = position(this.canvas, event);
        this.pointers.set(event.pointerId, at);
        if (this.pointers.size === 2) {
            if (this.mode === 'tool')
                this.handler.abandon();
            this.mode = 'pinch';
        } else if (this.pointers.size === 1) {
            this.first = at;
            this.moved = false;
            this.mode = event.button === 1 || !this.handler.start(...at, event) ? 'pan' : 'tool';
        }
    }

    move(event) {
        const at = position(this.canvas, event), before = this.pointers.get(event.pointerId);
        if (!before) {
            this.handler.hover(...at);
            return;
        }
        const old = [...this.pointers.values()];
        this.pointers.set(event.pointerId, at);
        this.moved ||= Math.hypot(at[0] - this.first[0], at[1] - this.first[1]) > CLICK_DISTANCE;
        if (this.mode === 'tool')
            for (const part of event.getCoalescedEvents?.() ?? [])
                this.handler.move(...position(this.canvas, part));
        if (this.mode === 'tool')
            this.handler.move(...at);
        else if (this.mode === 'pan' && this.moved)
            this.handler.pan(at[0] - before[0], at[1] - before[1]);
        else if (this.mode === 'pinch' && old.length === 2)
            this.pinch(between(old), between([...this.pointers.values()]));
    }

    pinch(before, after) {
        this.handler.pan(after.x - before.x, after.y - before.y);
        if (before.distance > 0)
            this.handler.zoom(after.distance / before.distance, after.x, after.y);
    }

    up(event, cancelled) {
        const at = this.pointers.get(event.pointerId);
        if (!at)
            return;
        this.pointers.delete(event.pointerId);
        if (this.mode === 'tool')
            cancelled ? this.handler.abandon() : this.handler.end();
        else if (this.mode === 'pan' && !this.moved)
            this.handler.click(...at);
        if (this.pointers.size === 0)
            this.mode = null;
    }

    wheel(event) {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 16 : 1;
        const speed = event.ctrlKey ? PINCH_WHEEL_SPEED : WHEEL_SPEED;
        this.handler.zoom(Math.exp(-event.deltaY * lines * speed), ...position(this.canvas, event));
    }
}
