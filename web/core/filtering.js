// SPDX-License-Identifier: BSD-2-Clause
// Filtering on all workers, in strips with margins; with a downscale factor, downscaled and refined.
import { downscaleSource } from './learning.js';
import { growRect, splitImage } from './parts.js';
import { buffersOf, Source } from './source.js';
import { passUnits, UNITS } from './units.js';

export function filterFactor(options, learnedFactor) {
    return options.filter_downscale || learnedFactor;
}

/** Whether the library can filter parts with these options. */
export function needsWhole(options, learnedFactor, guide) {
    const factor = filterFactor(options, learnedFactor);
    return options.tolerance > 0 || options.update === 'model' ||
        (factor > 1 && (factor !== learnedFactor || Boolean(guide)));
}

/** Runs a task on each part of an image and puts the results together. `message(around, rect)`
 * gives what a part needs besides its pixels: { fields, buffers }. */
export async function mapParts(job, name, source, settings) {
    const { margin, units, message, step = source.step, describe = (r) => source.describe(r) } =
        settings;
    const rects = splitImage(source, job.parallel, margin);
    const data = settings.data ?? source.newData();
    job.strips = rects.length;
    await Promise.all(rects.map(async (rect) => {
        const around = growRect(rect, margin, source);
        const image = source.part(around);
        const { fields, buffers = [] } = message(around, rect);
        const answer = await job.task(name, { image, to: describe(rect), ...fields }, {
            units: units * rect.width * rect.height,
            transfer: [...buffersOf(image), ...buffers], stage: settings.stage ?? name,
            options: settings.options,
        });
        source.paste(data, rect, answer.data, step);
        job.addReport(answer.report, rect.width * rect.height);
    }));
    return data;
}

/** Runs a task on one worker with the whole image. */
export async function mapWhole(job, name, source, fields, units, buffers = []) {
    const image = source.part(source.whole);
    const size = source.width * source.height;
    const answer = await job.task(name, { image, to: source.describe(source.whole), ...fields },
        { units: units * size, transfer: [...buffersOf(image), ...buffers] });
    job.addReport(answer.report, size);
    return answer.data;
}

/** Learns from a whole image and filters it, on one worker. */
export async function smoothWhole(job, source, roi) {
    const image = source.unknownPart(source.whole);
    const { data, report } = await job.task('smooth', { image, roi },
        { units: job.units, transfer: buffersOf(image) });
    job.addReport(report, source.width * source.height);
    return data;
}

/** Filters the small image, and refines the image by it. */
async function filterDownscaled(job, source, { model, units, small }) {
    const fields = { model: { key: job.key, bytes: model.bytes } };
    const data = await mapParts(job, 'filter', small, { margin: model.margin, units,
        options: model.passes, message: () => ({ fields }) });
    const filtered = new Source(data, small.width, small.height, small.step, small.format,
        small.valid);
    return mapParts(job, 'filter', source, { margin: 0, units: UNITS.refine, stage: 'store',
        message: () => {
            const coarse = { key: job.key, small: small.part(small.whole),
                             filtered: filtered.part(filtered.whole) };
            return { fields: { ...fields, coarse },
                     buffers: buffersOf(coarse.small, coarse.filtered) };
        } });
}

/** Filters with a model: { bytes, downscale, margin, passes }. `small` is the downscaled image, if it
 * is known; `labels` are those of the source, if they are known. */
export async function filterSource(job, source, { model, options, guide, small, labels }) {
    const passes = options.iterations || 1;
    const units = passUnits(options);
    const factor = filterFactor(options, model.downscale);
    const key = { key: job.key, bytes: model.bytes };
    if (needsWhole(options, model.downscale, guide)) {
        const shown = guide?.part(guide.whole);
        return mapWhole(job, 'filter', source, { model: key, guide: shown }, units * passes,
            buffersOf(shown));
    }
    if (factor > 1) {
        return filterDownscaled(job, source, { model, units: units * passes,
            small: small ?? await downscaleSource(job, source, factor) });
    }
    return mapParts(job, 'filter', source, { margin: model.margin, units: units * passes,
        message: (around) => {
            const [shown, known] = [guide?.part(around), labels?.part(around)];
            return { fields: { model: key, guide: shown, labels: known },
                     buffers: buffersOf(shown, known) };
        } });
}
