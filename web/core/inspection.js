// SPDX-License-Identifier: BSD-2-Clause
// What was learned from an image: labels, counts, and the weights of a pixel.
import { CofError } from './errors.js';

/** Weights by distance along one axis, of one pass. */
function axisWeights(instance, options) {
    const factor = options.filter_downscale || options.downscale;
    const window = options.filter_window || options.window;
    const narrow = instance.scope((scope) => {
        const out = scope.take(4 * window);
        instance.check(instance.c.window_weights(window, out));
        return instance.array(Float32Array, out, window);
    });
    instance.c.session_clear();
    if (factor === 1) {
        return narrow;
    }
    return widened(narrow, Math.floor(window / 2) * factor, factor);
}

/** At full size, the window of a downscaled image is as many times larger, and its sigma too. */
function widened(narrow, radius, factor) {
    const middle = (narrow.length - 1) / 2;
    const ratio = narrow[middle + 1] / narrow[middle]; // exp(-1 / (2 sigma^2))
    return Float32Array.from({ length: 2 * radius + 1 },
        (_, i) => ratio ** (((i - radius) / factor) ** 2));
}

/** The weights of the pixels around one, inside the image. */
function weightsAt(axis, model, labels, px, py) {
    const { width, height } = labels;
    if (!(px >= 0 && px < width && py >= 0 && py < height)) {
        throw new CofError('argument', 'the pixel lies outside of the image', { argument: 'x' });
    }
    const [cx, cy] = [Math.floor(px), Math.floor(py)];
    const radius = (axis.length - 1) / 2;
    const x = Math.max(cx - radius, 0);
    const y = Math.max(cy - radius, 0);
    const columns = Math.min(cx + radius + 1, width) - x;
    const rows = Math.min(cy + radius + 1, height) - y;
    const data = new Float32Array(columns * rows);
    const row = labels.data[cy * width + cx] * model.size;
    let sum = 0;
    for (let j = 0; j < rows; j++) {
        for (let i = 0; i < columns; i++) {
            const label = labels.data[(y + j) * width + x + i];
            const weight = axis[x + i - cx + radius] * axis[y + j - cy + radius] *
                model.matrix[row + label];
            data[j * columns + i] = weight;
            sum += weight;
        }
    }
    for (let i = 0; i < data.length && sum > 0; i++) {
        data[i] /= sum;
    }
    return { x, y, width: columns, height: rows, data };
}

/** `values` are the options that were used, which the session of the instance has, too. */
export function inspectImage(instance, { model, labels, values, learned, result }) {
    const axis = axisWeights(instance, values);
    return { model, labels, histogram: learned.histogram, counts: learned.counts,
             options: values, result, report: result.report,
             weights: (x, y) => weightsAt(axis, model, labels, x, y) };
}
