// SPDX-License-Identifier: BSD-2-Clause
// Where an image lies in a view: zoom and pan. Lengths of the view are in CSS pixels.

const MAX_SCALE = 32;
const MAX_FIT_SCALE = 3;
const MARGIN = 16;
const BAR_HEIGHT = 58; // of the buttons at the bottom of the view

export class ViewTransform {
    constructor() {
        this.view = { width: 1, height: 1 };
        this.image = { width: 1, height: 1 };
        [this.scale, this.x, this.y] = [1, 0, 0];
        this.fitted = true;
    }

    get fitScale() {
        const width = Math.max(1, this.view.width - 2 * MARGIN);
        const height = Math.max(1, this.view.height - MARGIN - BAR_HEIGHT);
        return Math.min(width / this.image.width, height / this.image.height, MAX_FIT_SCALE);
    }

    setImage(width, height) {
        this.image = { width, height };
        this.fit();
    }

    setView(width, height) {
        const middle = this.toImage(this.view.width / 2, this.view.height / 2);
        this.view = { width, height };
        if (this.fitted) {
            this.fit();
        } else {
            this.x = width / 2 - middle[0] * this.scale;
            this.y = height / 2 - middle[1] * this.scale;
            this.keepInView();
        }
    }

    fit() {
        this.scale = this.fitScale;
        this.fitted = true;
        this.keepInView();
    }

    /** Zooms about a point of the view. */
    zoomTo(scale, x = this.view.width / 2, y = this.view.height / 2) {
        const smallest = Math.min(this.fitScale, 1 / 4);
        const next = Math.min(MAX_SCALE, Math.max(smallest, scale));
        this.x = x - (x - this.x) * next / this.scale;
        this.y = y - (y - this.y) * next / this.scale;
        this.scale = next;
        this.fitted = false;
        this.keepInView();
    }

    pan(dx, dy) {
        this.x += dx;
        this.y += dy;
        this.fitted = false;
        this.keepInView();
    }

    /* A side that fits is centred; a larger one always covers the middle of the view. */
    keepInView() {
        this.x = kept(this.x, this.image.width * this.scale, this.view.width);
        this.y = kept(this.y, this.image.height * this.scale, this.view.height,
            BAR_HEIGHT - MARGIN);
    }

    /** From a point of the view to one of the image; the middle of the first pixel is (0, 0). */
    toImage(x, y) {
        return [(x - this.x) / this.scale - 0.5, (y - this.y) / this.scale - 0.5];
    }

    toView(x, y) {
        return [this.x + (x + 0.5) * this.scale, this.y + (y + 0.5) * this.scale];
    }

    /** The part of the view that the image covers. */
    visible() {
        const left = Math.max(0, this.x), top = Math.max(0, this.y);
        const right = Math.min(this.view.width, this.x + this.image.width * this.scale);
        const bottom = Math.min(this.view.height, this.y + this.image.height * this.scale);
        return { left, top, right: Math.max(left, right), bottom: Math.max(top, bottom) };
    }
}

function kept(position, length, view, below = 0) {
    if (length <= view - below)
        return (view - below - length) / 2;
    return Math.min(view / 2, Math.max(view / 2 - length, position));
}
