// SPDX-License-Identifier: BSD-2-Clause
// Shows an image before and after, with a divider between the two, and what is drawn on it.
import { drawBrush, drawOutline, drawStrokes, fillChecks } from './view_layers.js';
import { Gestures } from './gestures.js';
import { ViewTransform } from './view_transform.js';

const PIXELATED_FROM = 3;
const BRUSHES = ['keep', 'smooth', 'erase'];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const PAN_STEP = 48, BRUSH_STEP = 10;

export class Viewer extends EventTarget {
    constructor(canvas, divider) {
        super();
        Object.assign(this, { canvas, divider, transform: new ViewTransform(), before: null,
            after: null, overlay: null, strokes: [], region: null, highlight: null, split: 0.5,
            showOriginal: false, transparent: false, tool: 'hand', radius: 8, drag: null,
            cursor: null, queued: false });
        this.context = canvas.getContext('2d');
        this.gestures = new Gestures(canvas, this);
        canvas.addEventListener('keydown', (event) => this.key(event));
        this.watchDivider();
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
    }

    // What is shown.

    setImage(width, height, before) {
        this.transform.setImage(width, height);
        Object.assign(this, { before, after: null, overlay: null, highlight: null });
        this.changed();
    }

    /** Sets some of after, overlay, strokes, region, highlight, showOriginal, transparent
     * and radius. */
    show(parts) {
        Object.assign(this, parts);
        this.draw();
    }

    setTool(tool) {
        this.tool = tool;
        this.drag = null;
        this.canvas.dataset.tool = tool;
        this.draw();
    }

    // Zoom and pan.

    resize() {
        const { clientWidth, clientHeight } = this.canvas;
        const ratio = devicePixelRatio || 1;
        this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
        this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
        this.transform.setView(Math.max(1, clientWidth), Math.max(1, clientHeight));
        this.changed();
        this.paint();
    }

    fit() {
        this.transform.fit();
        this.changed();
    }

    /** Zooms to a number of screen pixels per pixel of the image; 1 is 100 %. */
    zoomToPixels(zoom) {
        this.transform.zoomTo(zoom / (devicePixelRatio || 1));
        this.changed();
    }

    get zoomInPixels() {
        return this.transform.scale * (devicePixelRatio || 1);
    }

    zoom(factor, x, y) {
        this.transform.zoomTo(this.transform.scale * factor, x, y);
        this.changed();
    }

    pan(dx, dy) {
        this.transform.pan(dx, dy);
        this.changed();
    }

    changed() {
        this.dispatchEvent(new Event('zoom'));
        this.draw();
    }

    // The divider.

    watchDivider() {
        const { divider } = this;
        divider.addEventListener('pointerdown', (event) => {
            divider.setPointerCapture(event.pointerId);
            divider.focus({ preventScroll: true });
            event.preventDefault();
        });
        divider.addEventListener('pointermove', (event) => {
            if (divider.hasPointerCapture(event.pointerId))
                this.setSplit((event.clientX - this.canvas.getBoundingClientRect().left) /
                    this.transform.view.width);
        });
        divider.addEventListener('keydown', (event) => {
            const steps = { ArrowLeft: -0.02, ArrowRight: 0.02, PageDown: -0.1, PageUp: 0.1,
                Home: -1, End: 1 };
            if (!(event.key in steps))
                return;
            event.preventDefault();
            event.stopPropagation();
            this.setSplit(this.dividerX() / this.transform.view.width + steps[event.key]);
        });
    }

    setSplit(split) {
        this.split = Math.min(1, Math.max(0, split));
        this.draw();
    }

    dividerX() {
        const { left, right } = this.transform.visible();
        return Math.min(right, Math.max(left, this.split * this.transform.view.width));
    }

    placeDivider() {
        const { left, top, right, bottom } = this.transform.visible();
        const x = this.dividerX(), { divider } = this;
        divider.hidden = !this.after || this.showOriginal;
        divider.style.left = `${x}px`;
        divider.style.top = `${top}px`;
        divider.style.bottom = `${this.transform.view.height - bottom}px`;
        const share = right > left ? Math.round(100 * (x - left) / (right - left)) : 0;
        divider.setAttribute('aria-valuenow', share);
        divider.setAttribute('aria-valuetext', `${share} % before`);
        this.canvas.dispatchEvent(new CustomEvent('divider', { detail: { x, left, right, top } }));
    }

    // Tools. Gestures calls these.

    start(x, y) {
        const at = this.transform.toImage(x, y);
        if (!this.before || !(BRUSHES.includes(this.tool) || this.tool === 'rectangle'))
            return false;
        this.drag = { tool: this.tool, points: [at] };
        this.cursor = [x, y];
        this.draw();
        return true;
    }

    move(x, y) {
        const at = this.transform.toImage(x, y);
        this.cursor = [x, y];
        if (this.drag?.tool === 'rectangle')
            this.drag.points[1] = at;
        else
            this.drag?.points.push(at);
        this.draw();
    }

    end() {
        const { drag } = this;
        this.drag = null;
        if (drag?.tool === 'rectangle')
            this.finishRectangle(drag.points);
        else if (drag)
            this.dispatchEvent(new CustomEvent('stroke', { detail: { mark: drag.tool,
                points: drag.points, radius: this.radius } }));
        this.draw();
    }

    abandon() {
        this.drag = null;
        this.draw();
    }

    finishRectangle([from, to]) {
        if (to)
            this.dispatchEvent(new CustomEvent('rectangle', { detail: rectangle(from, to,
                this.transform.image) }));
    }

    hover(x, y) {
        this.cursor = [x, y];
        const [column, row] = this.transform.toImage(x, y).map(Math.round);
        this.dispatchEvent(new CustomEvent('point', { detail: this.inside(column, row) }));
        if (BRUSHES.includes(this.tool))
            this.draw();
    }

    click(x, y) {
        this.hover(x, y);
    }

    leave() {
        this.cursor = null;
        this.draw();
    }

    inside(x, y) {
        const { width, height } = this.transform.image;
        return x >= 0 && y >= 0 && x < width && y < height ? { x, y } : null;
    }

    // Keys: arrows pan, or move the brush, which Enter puts down and lifts.

    key(event) {
        const arrow = ARROWS[event.key], brush = BRUSHES.includes(this.tool);
        if (!this.before || event.ctrlKey || event.metaKey || event.altKey)
            return;
        if (event.key === 'Enter' && brush)
            this.toggleBrush();
        else if (arrow && brush)
            this.moveBrush(arrow, event.shiftKey ? 1 : BRUSH_STEP);
        else if (arrow)
            this.pan(-arrow[0] * PAN_STEP, -arrow[1] * PAN_STEP);
        else
            return;
        event.preventDefault();
    }

    get middle() {
        return [this.transform.view.width / 2, this.transform.view.height / 2];
    }

    toggleBrush() {
        this.cursor ??= this.middle;
        if (this.drag)
            this.end();
        else
            this.start(...this.cursor);
    }

    moveBrush([dx, dy], step) {
        this.cursor ??= this.middle;
        const [x, y] = this.cursor;
        this.move(x + dx * step, y + dy * step);
    }

    // Drawing.

    draw() {
        if (this.queued)
            return;
        this.queued = true;
        requestAnimationFrame(() => {
            this.queued = false;
            this.paint();
        });
    }

    paint() {
        const ratio = devicePixelRatio || 1, { context, transform, canvas } = this;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, canvas.width, canvas.height);
        this.placeDivider();
        if (!this.before)
            return;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.imageSmoothingEnabled = this.zoomInPixels < PIXELATED_FROM;
        context.imageSmoothingQuality = 'high';
        if (this.transparent)
            fillChecks(context, transform.visible());
        const x = this.after && !this.showOriginal ? this.dividerX() : transform.view.width;
        this.drawPart(this.before, 0, x);
        if (this.after && !this.showOriginal)
            this.drawPart(this.after, x, transform.view.width);
        if (!this.showOriginal)
            this.drawMarks();
    }

    drawPart(bitmap, from, to) {
        const { context, transform } = this;
        context.save();
        context.beginPath();
        context.rect(from, 0, to - from, transform.view.height);
        context.clip();
        this.drawWhole(bitmap);
        context.restore();
    }

    drawWhole(bitmap) {
        const { x, y, scale, image } = this.transform;
        this.context.drawImage(bitmap, x, y, image.width * scale, image.height * scale);
    }

    drawMarks() {
        const { context, transform, drag } = this;
        if (this.overlay)
            this.drawWhole(this.overlay);
        const strokes = drag && drag.tool !== 'rectangle'
            ? [...this.strokes, { mark: drag.tool, points: drag.points, radius: this.radius }]
            : this.strokes;
        drawStrokes(context, transform, strokes);
        const region = drag?.tool === 'rectangle' && drag.points[1]
            ? rectangle(...drag.points, transform.image) : this.region;
        for (const outline of [region, this.highlight])
            if (outline)
                drawOutline(context, transform, outline);
        if (this.cursor && BRUSHES.includes(this.tool))
            drawBrush(context, this.cursor, this.radius * transform.scale, this.tool);
    }
}

function rectangle([x0, y0], [x1, y1], { width, height }) {
    const clamp = (value, max) => Math.min(max, Math.max(0, Math.round(value)));
    const x = clamp(Math.min(x0, x1), width - 1), y = clamp(Math.min(y0, y1), height - 1);
    return { x, y, width: clamp(Math.max(x0, x1), width - 1) - x + 1,
        height: clamp(Math.max(y0, y1), height - 1) - y + 1 };
}
