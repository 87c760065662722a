// SPDX-License-Identifier: BSD-2-Clause
// Options for a smaller copy of an image: lengths in pixels are scaled with it, so that a preview
// shows what the full image will look like. Presets scale by themselves.
import { givenOptions } from './settings.js';

function odd(value, min, max) {
    return Math.min(max, Math.max(min, 2 * Math.floor(value / 2) + 1));
}

function infoOf(cof, name) {
    return cof.optionTable.find((info) => info.name === name);
}

/* Scales a length. Automatic values, which are 0, are left to the library. */
function scaledLength(cof, name, value, factor) {
    if (!value)
        return value;
    const { min, max, odd: isOdd, type } = infoOf(cof, name);
    if (isOdd)
        return odd(value * factor, Math.max(min, 3), max);
    const scaled = Math.min(max, Math.max(min, value * factor));
    return type === 'integer' ? Math.max(1, Math.round(scaled)) : scaled;
}

/* The sigma that the variant `paper` derives from a window (cof.h). */
function paperSigma(window) {
    return Math.sqrt(2 * Math.sqrt(window) + 1);
}

/* Automatic lengths follow the window in their own way, so they are made explicit first. */
function withSigmas(options) {
    if (options.variant !== 'paper')
        return options;
    const sigma = options.sigma || paperSigma(options.window);
    const own = options.filter_window && !options.filter_sigma;
    return { ...options, sigma,
        filter_sigma: own ? paperSigma(options.filter_window) : options.filter_sigma };
}

/* Lengths are in pixels of the image that `downscale` makes. */
const LENGTHS = { window: 'downscale', sigma: 'downscale', filter_window: 'filter_downscale',
    filter_sigma: 'filter_downscale', refine: 'filter_downscale', gap: null, spread_window: null };

/** The options with which `small` looks as `full` will; both are {width, height}. */
export function previewOptions(cof, settings, full, small) {
    const given = givenOptions(settings);
    const factor = Math.sqrt(small.width * small.height / (full.width * full.height));
    if (small.width === full.width && small.height === full.height)
        return given;
    const result = { ...given };
    const whole = withSigmas(cof.resolveOptions(given, full.width, full.height));
    for (const name of ['downscale', 'filter_downscale'])
        if (given[name])
            result[name] = Math.max(1, Math.round(given[name] * factor));
    const reduced = cof.resolveOptions(result, small.width, small.height);
    for (const [name, by] of Object.entries(LENGTHS)) {
        if (settings.preset !== 'none' && !(name in settings.options))
            continue;
        const ratio = by ? (whole[by] || 1) / (reduced[by] || 1) : 1;
        result[name] = scaledLength(cof, name, whole[name], factor * ratio);
    }
    return result;
}
