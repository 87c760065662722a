// SPDX-License-Identifier: BSD-2-Clause
// Selecting, focus and recolouring.
import { CofError, refuseArgument } from './errors.js';
import { filterSource, mapParts, mapWhole } from './filtering.js';
import { Job } from './job.js';
import { learnModel } from './learning.js';
import { Pool } from './pool.js';
import { buffersOf, Source } from './source.js';
import { filterUnits, learningUnits, passUnits, UNITS } from './units.js';

const MARKS = ['erase', 'foreground', 'background']; // CofStroke
const DEFAULT_RADIUS = 4;
const MASK_FORMAT = { kind: 0, sample: 0 };
const MATTE_FORMAT = { kind: 0, sample: 2 };
const FOCUS_PASSES = 5;

// Where less of a pixel belongs to the object, its background is smoothed.
const MAX_MATTE = 0.95;

const GREY_COLOUR = [0.5, 0.5, 0.5];

/** Three numbers of 0 to 1. */
export function parseColour(colour) {
    const text = typeof colour === 'string' ? colour.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3') : '';
    if (/^#[0-9a-f]{6}$/i.test(text)) {
        return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
    }
    if (Array.isArray(colour) && colour.length === 3 && colour.every(Number.isFinite)) {
        return [...colour];
    }
    return refuseArgument('colour', "a colour is '#rrggbb', '#rgb' or three numbers");
}

/** x and y in turn. */
export function flatPoints(points) {
    const flat = points instanceof Float64Array ? points : Float64Array.from([...points ?? []].flat());
    if (flat.length === 0 || flat.length % 2 !== 0 || !flat.every(Number.isFinite)) {
        refuseArgument('points', 'a stroke needs points, which are pairs of x and y');
    }
    return flat.slice();
}

export function checkedStroke(stroke) {
    if (!stroke || typeof stroke !== 'object') {
        refuseArgument('points', 'a stroke must be an object with points and a radius');
    }
    return { points: flatPoints(stroke.points), radius: Number(stroke.radius ?? DEFAULT_RADIUS) };
}

/** Marked pixels as a part of an image, or strokes; undefined for none. */
function scribbleOf(marks, source, name) {
    if (marks === undefined || marks === null) {
        return undefined;
    }
    if (marks.data) {
        const mask = Source.fromMask(marks, source, name);
        return mask.part(mask.whole);
    }
    return { strokes: (Array.isArray(marks) ? marks : [marks]).map(checkedStroke) };
}

function emptyMask(source) {
    return new Source(null, source.width, source.height, 1, MASK_FORMAT);
}

export function asMask(source, data) {
    return { data, width: source.width, height: source.height };
}

export async function selectMask(job, source, marks) {
    const foreground = scribbleOf(marks?.foreground, source, 'foreground');
    const background = scribbleOf(marks?.background, source, 'background');
    if (!foreground) {
        refuseArgument('foreground', 'a selection needs foreground strokes or pixels');
    }
    const to = emptyMask(source).describe(source.whole);
    const data = await mapWhole(job, 'select', source, { foreground, background, to },
        UNITS.select);
    return asMask(source, data);
}

/** Selects while somebody draws, on a worker of its own. */
export class StrokeSelector {
    static async create(newWorker, source, options, optionBytes, run) {
        const selector = new StrokeSelector();
        selector.pool = new Pool(1, newWorker);
        selector.source = source;
        selector.optionBytes = optionBytes;
        Object.assign(selector, source.size);
        const job = new Job(selector.pool, options, run);
        try {
            await job.perform(async () => {
                const image = source.part(source.whole);
                job.plan(1);
                await job.task('selector', { image }, { units: 1, transfer: buffersOf(image),
                    stage: 'select' });
            });
        } catch (error) {
            selector.close();
            throw error;
        }
        return selector;
    }

    async task(name, message, run = {}, options = this.optionBytes({})) {
        if (this.closed) {
            throw new CofError('argument', 'the selector is closed');
        }
        const job = new Job(this.pool, options, run);
        job.plan(1);
        try {
            return await job.perform(() => job.task(name, message, { units: 1, stage: 'select' }));
        } catch (error) {
            if (job.run.signal?.aborted) {
                this.close(); // with its worker, it has lost the strokes
            }
            throw error;
        }
    }

    async addStroke(stroke, mark = 'foreground') {
        await this.task('stroke', { mark: markNumber(mark), ...checkedStroke(stroke) });
    }

    async addPixels(pixels, mark = 'foreground') {
        const mask = Source.fromMask(pixels, this.source, 'pixels');
        await this.task('pixels', { mark: markNumber(mark), image: mask.part(mask.whole) });
    }

    erase(stroke) {
        return this.addStroke(stroke, 'erase');
    }

    clear() {
        const data = new Uint8Array(this.width * this.height).fill(1);
        return this.addPixels(asMask(this.source, data), 'erase');
    }

    async setMask(mask) {
        const given = Source.fromMask(mask, this.source, 'mask');
        await this.task('setMask', { image: given.part(given.whole) });
    }

    async made(correct, options, run) {
        const to = emptyMask(this.source).describe(this.source.whole);
        const { data } = await this.task('mask', { to, correct }, run, this.optionBytes(options));
        return asMask(this.source, data);
    }

    mask(options = {}, run = {}) {
        return this.made(false, options, run);
    }

    corrected(options = {}, run = {}) {
        return this.made(true, options, run);
    }

    async correct(options = {}, run = {}) {
        await this.task('mask', { correct: true }, run, this.optionBytes(options));
    }

    close() {
        this.closed = true;
        this.pool.close(new CofError('cancelled', 'the selector was closed'));
    }
}

function markNumber(mark) {
    const number = MARKS.indexOf(mark);
    if (number < 0) {
        refuseArgument('mark', `mark must be one of ${MARKS.join(', ')}`);
    }
    return number;
}

/** The models of object and background, and the prior, on one worker. */
async function learnPair(job, source, mask, options) {
    const image = source.part(source.whole);
    const marks = mask.part(mask.whole);
    const prior = new Source(null, source.width, source.height, 1, MATTE_FORMAT);
    const units = UNITS.pair * source.width * source.height;
    try {
        const { bytes, data } = await job.task('pair',
            { image, mask: marks, prior: prior.describe(prior.whole) },
            { units, transfer: buffersOf(image, marks), stage: 'count', options });
        return { pair: bytes, prior: new Source(data, source.width, source.height, 1, MATTE_FORMAT) };
    } catch (error) {
        throw error.status !== 'empty' ? error : new CofError('empty',
            'the object is too small or too large to learn from', { argument: 'mask' });
    }
}

/** The margin of the background's model. */
function pairSettings({ pair, prior }, margin, units, options) {
    return { margin, units, options, message: (around) => {
        const guess = prior.part(around);
        return { fields: { pair, prior: guess }, buffers: buffersOf(guess) };
    } };
}

async function makeMatte(job, source, learned, margin, options) {
    const matte = new Source(new Float32Array(source.width * source.height), source.width,
        source.height, 1, MATTE_FORMAT);
    await mapParts(job, 'matte', source, {
        ...pairSettings(learned, margin, UNITS.matte, options), data: matte.data, step: 1,
        describe: (rect) => matte.describe(rect), stage: 'filter',
    });
    return matte;
}

/** Blends an image with another, or with its own tint. */
function blendParts(job, source, matte, { other, colour }) {
    return mapParts(job, 'blend', source, { margin: 0, units: UNITS.blend, stage: 'store',
        message: (around) => {
            const parts = [matte.part(around), other?.part(around)];
            return { fields: { matte: parts[0], other: parts[1], colour },
                     buffers: buffersOf(...parts) };
        } });
}

/** The image with the matte as alpha. */
function cutOut(source, matte) {
    const { data, step } = source;
    const colours = step >= 3 ? 3 : 1;
    const white = data instanceof Float32Array ? 1 : 2 ** (8 * data.BYTES_PER_ELEMENT) - 1;
    const out = new data.constructor(source.width * source.height * (colours + 1));
    const round = white === 1 ? 0 : 0.5;
    for (let i = 0; i < matte.data.length; i++) {
        for (let band = 0; band < colours; band++) {
            out[i * (colours + 1) + band] = data[i * step + band];
        }
        const alpha = step > colours ? data[i * step + colours] : white;
        const share = Math.fround(Math.fround(matte.data[i] * alpha) + round); // as the command
        out[i * (colours + 1) + colours] = white === 1 ? share : Math.floor(share);
    }
    return out;
}

/** Smooths the background by itself, with any options, and blends it with the object. */
async function smoothByMatte(job, source, matte, prepare, options) {
    const valid = Uint8Array.from(matte.data, (share) => Number(share < MAX_MATTE));
    const background = source.withValid(valid);
    let smooth;
    if (options.update === 'model' || options.tolerance > 0) {
        smooth = await mapWhole(job, 'smooth', background, { roi: {} },
            passUnits(options) * options.iterations);
    } else {
        let small;
        const { bytes } = await learnModel(job, [background], { options, roi: {},
            onSmall: (made) => { small = made; } });
        smooth = await filterSource(job, background, { model: prepare(bytes), options, small });
    }
    const other = new Source(smooth, source.width, source.height, source.step, source.format);
    return blendParts(job, source, matte, { other });
}

const isColoured = (effect) => effect === 'grey' || effect?.tint !== undefined;

function checkEffect(effect, source) {
    const known = ['smooth', 'grey', 'transparent'].includes(effect) || effect?.tint || effect?.image;
    if (!known) {
        refuseArgument('background',
            "background must be 'smooth', 'grey', 'transparent', { tint } or { image }");
    }
    if (isColoured(effect) && !source.hasColours) {
        refuseArgument('background', 'an image without colours cannot be greyed or tinted');
    }
}

function backdropOf(effect, source) {
    if (!effect.image) {
        return { colour: effect === 'grey' ? GREY_COLOUR : parseColour(effect.tint) };
    }
    const other = Source.fromImage(effect.image, 'background');
    if (other.width !== source.width || other.height !== source.height ||
        other.step !== source.step || other.format.sample !== source.format.sample) {
        throw new CofError('mismatch', 'the background differs from the image in size or channels',
            { argument: 'background' });
    }
    other.setFormat(source.format);
    return { other };
}

const focusUnits = (options) => 2 * passUnits(options) * options.iterations;

function planFocus(job, source, effect, { byMatte, options }) {
    const pixels = source.width * source.height;
    const factor = options.filter_downscale || options.downscale;
    const smoothing = !byMatte ? pixels * (focusUnits(options) - UNITS.matte - UNITS.blend)
        : learningUnits(pixels, options) + filterUnits(pixels, options, factor);
    job.plan(pixels * (UNITS.pair + UNITS.matte + UNITS.blend) +
        (effect === 'smooth' ? smoothing : 0));
}

/** Changes the background. `plan` has the options of the object (bytes), those of the background
 * (bytes and values), whether the background is smoothed by itself, and prepare(). */
export async function focusImage(job, source, mask, effect, plan) {
    checkEffect(effect, source);
    const backdrop = effect === 'smooth' || effect === 'transparent' ? {}
        : backdropOf(effect, source);
    planFocus(job, source, effect, plan);
    const learned = await learnPair(job, source, mask, plan.objectBytes);
    if (effect === 'smooth' && !plan.byMatte) {
        const bytes = plan.withPasses(FOCUS_PASSES);
        const margin = plan.margin(learned.pair, bytes);
        return mapParts(job, 'focus', source, pairSettings(learned, margin,
            focusUnits(plan.options), bytes));
    }
    const matteMargin = plan.margin(learned.pair, plan.objectBytes);
    const matte = await makeMatte(job, source, learned, matteMargin, plan.objectBytes);
    if (effect === 'transparent') {
        return cutOut(source, matte);
    }
    return effect === 'smooth' ? smoothByMatte(job, source, matte, plan.prepare, plan.options)
        : blendParts(job, source, matte, backdrop);
}

export async function recolourImage(job, source, mask, colour) {
    if (!source.hasColours) {
        refuseArgument('image', 'an image without colours cannot be recoloured');
    }
    const marks = mask.part(mask.whole);
    return mapWhole(job, 'recolour', source, { mask: marks, colour: parseColour(colour) },
        UNITS.recolour,
        buffersOf(marks));
}
