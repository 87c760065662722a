// SPDX-License-Identifier: BSD-2-Clause
// How an image is split: one part for each worker; of large images, more and smaller ones.

// A part of a large image has about so many pixels, which limits the memory of a worker.
const PART_PIXELS = 1 << 21;

// It is at least so many margins long, since the margin is computed twice.
const MARGINS_PER_PART = 4;

const MIN_LENGTH = 8;

/** Whether one worker should be given the whole image. */
export function fitsOnePart(size) {
    return size.width * size.height <= PART_PIXELS;
}

function partCount(length, pixels, workers, margin) {
    const fitting = Math.ceil(pixels / PART_PIXELS);
    const longEnough = Math.floor(length / Math.max(MARGINS_PER_PART * margin, 1)) || 1;
    const forMemory = Math.min(fitting, longEnough);
    const rounded = Math.ceil(Math.max(forMemory, 1) / workers) * workers;
    return Math.max(1, Math.min(rounded, Math.floor(length / MIN_LENGTH) || 1));
}

/** Splits an image into strips across its longer side if it is long, otherwise into rows. Strips
 * begin at multiples of `unit`. */
export function splitImage(size, workers, margin = 0, unit = 1) {
    const across = size.width > 4 * size.height;
    const length = across ? size.width : size.height;
    const count = partCount(length, size.width * size.height, workers, margin);
    const parts = [];
    for (let i = 0; i < count; i++) {
        const start = cut(i, count, length, unit);
        const end = cut(i + 1, count, length, unit);
        if (end > start) {
            parts.push(across ? { x: start, y: 0, width: end - start, height: size.height }
                : { x: 0, y: start, width: size.width, height: end - start });
        }
    }
    return parts;
}

function cut(i, count, length, unit) {
    return i === count ? length : Math.min(Math.round((length * i) / count / unit) * unit, length);
}

/** The rectangle and its surroundings, inside the image. */
export function growRect(rect, margin, size) {
    const x = Math.max(rect.x - margin, 0);
    const y = Math.max(rect.y - margin, 0);
    return { x, y, width: Math.min(rect.x + rect.width + margin, size.width) - x,
             height: Math.min(rect.y + rect.height + margin, size.height) - y };
}

/** The pixels of which a rectangle of the downscaled image is made. */
export function coveredRect(rect, factor, size) {
    const x = rect.x * factor;
    const y = rect.y * factor;
    return { x, y, width: Math.min(rect.width * factor, size.width - x),
             height: Math.min(rect.height * factor, size.height - y) };
}
