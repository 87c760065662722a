// SPDX-License-Identifier: BSD-2-Clause
// What lies above and below the image in the view.

/* Blue and orange differ for nearly all eyes. */
const MARK_COLOURS = { keep: '#2f7df6', smooth: '#ff8a1c', erase: '#ffffff' };
const MARK_ALPHA = 0.6;
const CHECK_SIDE = 10;

let layer = null;

/* A canvas of the size of another, for marks that are painted over each other. */
function clearLayer({ width, height }) {
    layer ??= document.createElement('canvas');
    if (layer.width !== width || layer.height !== height)
        [layer.width, layer.height] = [width, height];
    const context = layer.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
}

function tracePath(context, transform, points) {
    context.beginPath();
    context.moveTo(...transform.toView(...points[0]));
    for (const point of points.length === 1 ? points : points.slice(1))
        context.lineTo(...transform.toView(...point));
}

/** Strokes in their order: a later one replaces earlier ones, and the eraser removes them. */
export function drawStrokes(context, transform, strokes) {
    if (strokes.length === 0)
        return;
    const marks = clearLayer(context.canvas);
    marks.setTransform(context.getTransform());
    marks.lineCap = marks.lineJoin = 'round';
    for (const { mark, points, radius } of strokes) {
        marks.globalCompositeOperation = mark === 'erase' ? 'destination-out' : 'source-over';
        marks.strokeStyle = MARK_COLOURS[mark];
        marks.lineWidth = Math.max(1, (2 * radius + 1) * transform.scale);
        tracePath(marks, transform, points);
        marks.stroke();
    }
    marks.globalCompositeOperation = 'source-over';
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = MARK_ALPHA;
    context.drawImage(layer, 0, 0);
    context.restore();
}

/** A rectangle of pixels, as a line that is visible on any colour. */
export function drawOutline(context, transform, { x, y, width, height }) {
    const left = transform.x + x * transform.scale, top = transform.y + y * transform.scale;
    const box = [left, top, width * transform.scale, height * transform.scale];
    context.lineWidth = 3;
    context.strokeStyle = 'rgb(0 0 0 / 60%)';
    context.strokeRect(...box);
    context.lineWidth = 1.5;
    context.strokeStyle = '#fff';
    context.strokeRect(...box);
}

/** The brush at the pointer. */
export function drawBrush(context, [x, y], radius, tool) {
    context.beginPath();
    context.arc(x, y, Math.max(2, radius), 0, 2 * Math.PI);
    context.lineWidth = 3.5;
    context.strokeStyle = 'rgb(0 0 0 / 65%)';
    context.stroke();
    context.lineWidth = 2;
    context.strokeStyle = MARK_COLOURS[tool];
    context.stroke();
}

/** The squares that show through transparent pixels. */
export function fillChecks(context, { left, top, right, bottom }) {
    context.fillStyle = '#fff';
    context.fillRect(left, top, right - left, bottom - top);
    context.fillStyle = '#d9d9d9';
    context.beginPath();
    for (let y = top, row = 0; y < bottom; y += CHECK_SIDE, row++)
        for (let x = left + (row % 2) * CHECK_SIDE; x < right; x += 2 * CHECK_SIDE)
            context.rect(x, y, Math.min(CHECK_SIDE, right - x), Math.min(CHECK_SIDE, bottom - y));
    context.fill();
}

/** A canvas that darkens what a mask leaves out and draws the mask's border. */
export function maskOverlay({ data, width, height }) {
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const veil = 0xa0221a14, border = 0xffffffff; // ABGR
    for (let y = 0, i = 0; y < height; y++)
        for (let x = 0; x < width; x++, i++) {
            const edge = data[i] && ((x > 0 && !data[i - 1]) || (x + 1 < width && !data[i + 1]) ||
                (y > 0 && !data[i - width]) || (y + 1 < height && !data[i + width]));
            pixels[i] = edge ? border : data[i] ? 0 : veil;
        }
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d').putImageData(image, 0, 0);
    return canvas;
}
