// SPDX-License-Identifier: BSD-2-Clause
// Learning on all workers: scan parts, merge, fit the palette, count parts, merge, make the model.
import { coveredRect, growRect, splitImage } from './parts.js';
import { buffersOf, Source } from './source.js';
import { Strips } from './strips.js';
import { FIT_UNITS, LEARN_UNITS, STATS_BYTES_PER_PIXEL, statsBytes, UNITS } from './units.js';

/** Downscales an image in parts. */
export async function downscaleSource(job, source, factor) {
    const size = { width: Math.ceil(source.width / factor),
                   height: Math.ceil(source.height / factor) };
    const small = new Source(source.newData(size), size.width, size.height, source.step,
        source.format, source.valid && new Uint8Array(size.width * size.height));
    await Promise.all(splitImage(size, job.parallel).map(async (rect) => {
        const image = source.part(coveredRect(rect, factor, source));
        const answer = await job.task('downscale',
            { image, factor, to: small.describe(rect), withValid: Boolean(source.valid) },
            { units: UNITS.downscale * image.width * image.height, transfer: buffersOf(image) });
        small.paste(small.data, rect, answer.data);
        if (answer.valid) {
            small.paste(small.valid, rect, answer.valid, 1);
        }
    }));
    return small;
}

/** Runs a task on each part of the images; the mask is split likewise. */
function readParts(job, name, images, margin, roi, more) {
    return images.flatMap((source) => splitImage(source, job.parallel).map(async (rect) => {
        const around = growRect(rect, margin, source);
        const image = source.part(around);
        const mask = roi.mask?.part(around);
        const answer = await job.task(name,
            { parts: [{ image, roi: { ...roi, mask, part: rect } }], ...more },
            { units: UNITS[name] * rect.width * rect.height, transfer: buffersOf(image, mask) });
        return answer.bytes;
    }));
}

/** The labels of an image, in parts. */
async function assignLabels(job, source, palette) {
    const labels = new Source(new Uint8Array(source.width * source.height), source.width,
        source.height, 1, { kind: 0, sample: 0 });
    await Promise.all(splitImage(source, job.parallel).map(async (rect) => {
        const image = source.part(rect);
        const answer = await job.task('assign', { palette, image, to: labels.describe(rect) },
            { units: UNITS.assign * rect.width * rect.height, transfer: buffersOf(image),
              stage: 'labels' });
        labels.paste(labels.data, rect, answer.data);
    }));
    return labels;
}

/** Labels that are found once, for counting and for the filter, if canShareLabels(). */
async function learnByLabels(job, source, palette, { window, roi, contents }) {
    const labels = await assignLabels(job, source, palette);
    const counted = await Promise.all(readParts(job, 'count', [labels], Math.floor(window / 2), roi,
        { palette, labels: true }));
    return { ...await job.task('model', { parts: counted, contents }), labels };
}

/** The palette of what was scanned, as bytes of statistics. */
async function fitPalette(job, parts) {
    const { bytes } = await job.task('fit', { parts }, { units: FIT_UNITS, stage: 'palette' });
    return bytes;
}

/** How many workers learn from an image. They send each other statistics, of which there are many if
 * the palette and the window are large: then less time is lost if one counts alone. */
function learningWorkers(job, { width, height, step }, options) {
    const bytes = statsBytes(options, step > 2 ? options.colours : options.levels);
    return bytes * job.parallel <= STATS_BYTES_PER_PIXEL * width * height ? job.parallel : 1;
}

/** The strips of an image that is only learned from. */
function learningStrips(job, images, options) {
    const margin = Math.floor(options.window / 2);
    return images.length === 1 ? Strips.of(job, images[0], margin,
        learningWorkers(job, images[0], options)) : undefined;
}

async function learnInParts(job, images, { options, roi, contents, shareLabels }) {
    const { window } = options;
    const strips = learningStrips(job, images, options);
    if (strips) {
        const { learned } = await strips.work({ roi, asked: { model: true, contents },
                                                filterUnits: 0 });
        return learned;
    }
    const pixels = images.reduce((sum, one) => sum + one.width * one.height, 0);
    const scanned = await Promise.all(readParts(job, 'scan', images, 0, roi, {}));
    const palette = await fitPalette(job, scanned);
    if (shareLabels) {
        return learnByLabels(job, images[0], palette, { window, roi, contents });
    }
    const margin = Math.floor(window / 2);
    job.advance(UNITS.assign * pixels, 'labels'); // counting does it
    const counted = await Promise.all(readParts(job, 'count', images, margin, roi, { palette }));
    return job.task('model', { parts: counted, contents });
}

async function learnWhole(job, images, { roi, contents }) {
    const pixels = images.reduce((sum, one) => sum + one.width * one.height, 0);
    const units = LEARN_UNITS * pixels;
    const parts = images.map((source) => source.part(source.whole));
    const mask = roi.mask?.part(roi.mask.whole);
    return job.task('learn',
        { images: parts.map((image) => ({ image, roi: { ...roi, mask } })), contents },
        { units, transfer: buffersOf(...parts) });
}

/** Whether counting and the filter can share labels: those of transparent pixels and of pixels
 * without data do not say that they are. */
export function canShareLabels(images, options) {
    const [source] = images;
    return images.length === 1 && options.palettes === 1 && options.downscale === 1 &&
        options.filter_downscale <= 1 && options.update === 'none' && !source.valid &&
        source.format.sample === 0 && source.format.kind % 2 === 0;
}

/** Learns a model; `settings` has the resolved options, and roi: { region, mask }. Returns the bytes
 * of the model; with `contents`, the histogram and the counts; with `shareLabels`, the labels of the
 * image, if it is large. `onSmall` receives the downscaled image, if there is one. */
export async function learnModel(job, images, { options, roi, contents, onSmall, shareLabels }) {
    const settings = { options, roi, contents, shareLabels };
    if (options.downscale === 1) {
        return learnInParts(job, images, settings);
    }
    if (roi.region || roi.mask) {
        return learnWhole(job, images, settings);
    }
    const small = await Promise.all(images.map((one) =>
        downscaleSource(job, one, options.downscale)));
    onSmall?.(small[0]);
    return learnInParts(job, small, { ...settings, roi: { downscaled: true } });
}
