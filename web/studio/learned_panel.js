// SPDX-License-Identifier: BSD-2-Clause
// What the filter has learned: the label map, the matrix M, the weights of one pixel, convergence.
import { heatColour, labelOrder, scaleDecades } from './heat_map.js';
import { convergencePlot } from './convergence_plot.js';

const STRIP_SHARE = 0.055;
const ROW_SHARE = 0.12;
const byId = (id) => document.getElementById(id);

function hex(colours, label) {
    return `rgb(${colours[3 * label]} ${colours[3 * label + 1]} ${colours[3 * label + 2]})`;
}

function number(value) {
    return value === 0 ? '0' : value.toPrecision(3);
}

function summary({ size, kind, palettes, options }) {
    const entries = `${size} ${kind === 'grey' ? 'grey levels' : 'colours'}`;
    const which = palettes > 1 ? ` (the first of ${palettes} palettes)` : '';
    return `${entries}${which}, pairs counted within ${options.window} × ${options.window} pixels.`;
}

export class LearnedPanel {
    constructor() {
        this.learned = null;
        this.row = -1;
        this.matrix = byId('matrix');
        this.matrix.addEventListener('pointermove', (event) => this.pointAtMatrix(event));
        this.matrix.addEventListener('pointerdown', (event) => this.pointAtMatrix(event));
        this.matrix.addEventListener('keydown', (event) => this.key(event));
        new ResizeObserver(() => this.drawMatrix()).observe(this.matrix);
    }

    /** {model, labels, weights, change}; weights and change may be absent. `image` is what was
     * labelled. null if nothing is known, for the reason in `text`. */
    show(learned, image, text = 'Open an image to see what is learned from it.') {
        Object.assign(this, { learned, image, row: -1 });
        byId('weights').hidden = true;
        byId('matrix-text').textContent = '';
        if (!learned) {
            byId('learned-text').textContent = text;
            this.matrix.width = 1;
            byId('convergence').replaceChildren();
            return;
        }
        const { model } = learned;
        this.order = labelOrder(model);
        this.place = [];
        this.order.forEach((label, i) => { this.place[label] = i; });
        this.map = this.heatMap();
        byId('learned-text').textContent = summary(model);
        byId('weights-text').textContent = learned.weights
            ? 'Point at the image, or tap it, to see which pixels are averaged.'
            : 'Remove the model file to see the weights of a pixel.';
        this.showChange(learned.change ?? []);
        this.drawMatrix();
    }

    showChange(change) {
        byId('convergence').replaceChildren(convergencePlot(change));
    }

    /** The label map: each pixel has the colour of its palette entry. */
    labelImage() {
        const { model, labels } = this.learned;
        const image = new ImageData(labels.width, labels.height);
        for (let i = 0; i < labels.data.length; i++) {
            for (let c = 0; c < 3; c++)
                image.data[4 * i + c] = model.colours[3 * labels.data[i] + c];
            image.data[4 * i + 3] = 255;
        }
        const canvas = new OffscreenCanvas(labels.width, labels.height);
        canvas.getContext('2d').putImageData(image, 0, 0);
        return canvas;
    }

    // The matrix.

    heatMap() {
        const { model } = this.learned, k = model.size, decades = scaleDecades(model.matrix);
        const image = new ImageData(k, k);
        for (let a = 0; a < k; a++)
            for (let b = 0; b < k; b++) {
                const value = model.matrix[this.order[a] * k + this.order[b]];
                image.data.set([...heatColour(value, decades), 255], 4 * (a * k + b));
            }
        const canvas = new OffscreenCanvas(k, k);
        canvas.getContext('2d').putImageData(image, 0, 0);
        return canvas;
    }

    drawMatrix() {
        const canvas = this.matrix, side = Math.round(canvas.clientWidth * (devicePixelRatio || 1));
        if (!this.learned || side === 0)
            return;
        canvas.width = side;
        canvas.height = Math.round(side * (1 + ROW_SHARE));
        const context = canvas.getContext('2d'), strip = Math.round(side * STRIP_SHARE);
        const { model } = this.learned, k = model.size, cell = (side - strip) / k;
        this.order.forEach((label, i) => {
            context.fillStyle = hex(model.colours, label);
            context.fillRect(strip + i * cell, 0, cell + 1, strip - 3);
            context.fillRect(0, strip + i * cell, strip - 3, cell + 1);
        });
        context.imageSmoothingEnabled = false;
        context.drawImage(this.map, strip, strip, side - strip, side - strip);
        if (this.row >= 0)
            this.outlineRow(context, strip, cell, side);
    }

    outlineRow(context, strip, cell, side) {
        const y = strip + this.place[this.row] * cell;
        for (const [width, colour] of [[4, '#000'], [2, '#fff']]) {
            context.lineWidth = width;
            context.strokeStyle = colour;
            context.strokeRect(2, y - 3, side - 4, cell + 6);
        }
        this.drawRow(context, strip, cell, side);
    }

    /* The row again, enlarged below the matrix: the colours, and how strongly they are mixed in. */
    drawRow(context, strip, cell, side) {
        const { model } = this.learned, height = side * ROW_SHARE - 8;
        context.fillStyle = hex(model.colours, this.row);
        context.fillRect(0, side + 8, strip - 3, height);
        this.order.forEach((label, i) => {
            context.fillStyle = hex(model.colours, label);
            context.fillRect(strip + i * cell, side + 8, cell + 1, height / 2);
        });
        context.drawImage(this.map, 0, this.place[this.row], model.size, 1, strip,
            side + 8 + height / 2, side - strip, height / 2);
    }

    setRow(label) {
        if (label === this.row)
            return;
        this.row = label;
        this.drawMatrix();
    }

    pointAtMatrix(event) {
        if (!this.learned)
            return;
        const box = this.matrix.getBoundingClientRect(), k = this.learned.model.size;
        const index = (at, length) =>
            Math.floor((at / length - STRIP_SHARE) / (1 - STRIP_SHARE) * k);
        const a = index(event.clientY - box.top, box.width);
        const b = index(event.clientX - box.left, box.width);
        if (a >= 0 && a < k && b >= 0 && b < k)
            this.tellEntry(this.order[a], this.order[b]);
    }

    key(event) {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!step || !this.learned)
            return;
        event.preventDefault();
        const k = this.order.length, at = this.row < 0 ? 0 : this.place[this.row] + step;
        const label = this.order[(at + k) % k];
        this.tellEntry(label, label);
    }

    tellEntry(a, b) {
        const { model } = this.learned;
        this.setRow(a);
        byId('matrix-text').textContent =
            `M(${a}, ${b}) = ${number(model.matrix[a * model.size + b])}, ` +
            `entry ${a}: ${number(100 * model.frequencies[a])} % of the pixels`;
    }

    // One pixel.

    /** Shows the row and the weights of a pixel of the labelled image. Returns its window. */
    pointAtPixel(x, y) {
        const { labels, weights } = this.learned;
        const label = labels.data[y * labels.width + x];
        this.tellEntry(label, label);
        if (!weights)
            return null;
        const window = weights(x, y);
        this.drawWeights(window);
        const strongest = Math.max(...window.data);
        byId('weights-text').textContent = `Weights of pixel ${x}, ${y} in its window of ` +
            `${window.width} × ${window.height}: the brighter, the more it contributes ` +
            `(at most ${number(100 * strongest)} %).`;
        return window;
    }

    /* The pixels of the window, each as bright as its weight. */
    drawWeights({ x, y, width, height, data }) {
        const canvas = byId('weights'), n = this.image.data.length /
            (this.image.width * this.image.height);
        canvas.hidden = false;
        canvas.width = 2 * width + 1;
        canvas.height = height;
        canvas.style.aspectRatio = `${2 * width + 1} / ${height}`;
        const pixels = new ImageData(2 * width + 1, height);
        const strongest = Math.max(...data);
        for (let row = 0; row < height; row++)
            for (let column = 0; column < width; column++) {
                const from = n * ((y + row) * this.image.width + x + column);
                const share = (data[row * width + column] / strongest) ** 0.5;
                const at = 4 * (row * pixels.width + column);
                for (let c = 0; c < 3; c++)
                    pixels.data[at + c] = this.image.data[from + (n < 3 ? 0 : c)];
                pixels.data[at + 3] = 255;
                pixels.data.set([255 * share, 255 * share, 255 * share, 255],
                    at + 4 * (width + 1));
            }
        canvas.getContext('2d').putImageData(pixels, 0, 0);
    }
}
