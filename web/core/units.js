// SPDX-License-Identifier: BSD-2-Clause
// Units of work, for progress: about the nanoseconds that a pixel takes, divided by 16.

/** For each pixel. */
export const UNITS = { downscale: 0.5, refine: 1.5, scan: 0.5, assign: 2, count: 0.7, matte: 6,
                       blend: 1, pair: 8, label: 2, select: 30, recolour: 20 };
export const LEARN_UNITS = UNITS.scan + UNITS.assign + UNITS.count;
export const FIT_UNITS = 7e5;

const EXACT_UNITS = 1 / 36; // for each tap of the window
const FAST_UNITS = 6;

/** Of a pass of the filter, for each pixel. */
export function passUnits(options) {
    const window = options.filter_window || options.window;
    const taps = window * window * EXACT_UNITS;
    return options.palettes * (options.method === 'exact' ? taps : Math.min(taps, FAST_UNITS));
}

/** Of learning from so many pixels. */
export function learningUnits(pixels, options) {
    const scale = options.downscale ** 2;
    return FIT_UNITS + (pixels * LEARN_UNITS) / scale + (scale > 1 ? UNITS.downscale * pixels : 0);
}

/** Of all passes over so many pixels, with a downscale factor. */
export function filterUnits(pixels, options, factor) {
    const units = passUnits(options) * (options.iterations || 1);
    return pixels * (factor > 1 ? units / factor ** 2 + UNITS.refine : units);
}

/** Bytes of the statistics of palettes with so many labels. */
export function statsBytes(options, labels) {
    const side = Math.floor(options.window / 2) + 1;
    const distances = new Set();
    for (let i = 0; i < side * side; i++) {
        distances.add((i % side) ** 2 + Math.floor(i / side) ** 2);
    }
    return 4 * labels * (labels + 1) * distances.size * options.palettes;
}

/** It takes as long to send so many bytes to another worker as to learn from a pixel. */
export const STATS_BYTES_PER_PIXEL = 16;
