// SPDX-License-Identifier: BSD-2-Clause
// The Co-occurrence Filter for browsers and node; cof.d.ts describes the interface.
import { CofError, refuseArgument, refuseOption } from './errors.js';
import { filterFactor, filterSource, mapParts, needsWhole, smoothWhole } from './filtering.js';
import { inspectImage } from './inspection.js';
import { Instance } from './instance.js';
import { Job } from './job.js';
import { canShareLabels, learnModel } from './learning.js';
import { changedOptions, commandNames, pythonLines, shellLine } from './lines.js';
import { Model, setModelReader } from './model.js';
import { nodeModule } from './node_module.js';
import { namedOptions, readOptions, readOptionTable, writeOptions } from './options.js';
import { Pool, PoolWorker, workerAddress } from './pool.js';
import { asMask, focusImage, recolourImage, selectMask, StrokeSelector } from './selecting.js';
import { hasWasmSimd, loadModule } from './simd.js';
import { fitsOnePart } from './parts.js';
import { Source } from './source.js';
import { Strips } from './strips.js';
import { filterUnits, learningUnits, passUnits, UNITS } from './units.js';

export { CofError, Model };

const MAX_WORKERS = 8;
const MAX_POOL = 64;
const FOCUS_ITERATIONS = 5;
const NO_SIZE = { width: 1, height: 1 };
const LARGE_SIDE = 1 << 20;

async function defaultWorkers() {
    if (typeof process === 'object' && process.versions?.node) {
        const os = await nodeModule('os');
        return Math.min((os.availableParallelism ?? (() => os.cpus().length))(), MAX_WORKERS);
    }
    return Math.min(globalThis.navigator?.hardwareConcurrency ?? 1, MAX_WORKERS);
}

/** Splits what a method was given into options, and what is not an option. */
function separate(given, names) {
    const options = { ...given };
    const rest = {};
    for (const name of names) {
        rest[name] = options[name];
        delete options[name];
    }
    return { options, rest };
}

const LEARNING = ['from', 'region', 'mask', 'roi'];

function asList(value) {
    return Array.isArray(value) ? value : [value];
}

function checkRegion(region) {
    if (region && !['x', 'y', 'width', 'height'].every((side) => Number.isInteger(region[side]))) {
        refuseArgument('region', 'a region needs x, y, width and height, which are integers');
    }
    return region ?? undefined;
}

export class Cof {
    static hasSimd() {
        return hasWasmSimd();
    }

    static async create({ workers, wasm, worker, simd = hasWasmSimd() } = {}) {
        const size = workers ?? await defaultWorkers();
        if (!Number.isInteger(size) || size < 1 || size > MAX_POOL) {
            refuseArgument('workers', `workers must be a number from 1 to ${MAX_POOL}`);
        }
        const loaded = await loadModule(wasm, simd);
        const instance = await Instance.create(loaded.module);
        setModelReader(instance);
        return new Cof(instance, loaded, size, workerAddress(worker));
    }

    #instance;
    #newWorker;
    #pool;

    constructor(instance, { module, simd }, size, address) {
        const version = instance.c.version();
        this.#instance = instance;
        this.#newWorker = () => new PoolWorker(address, module);
        this.#pool = new Pool(size, this.#newWorker);
        this.workers = size;
        this.simd = simd;
        this.version = [version >>> 16, (version >>> 8) & 255, version & 255].join('.');
        this.optionTable = readOptionTable(instance);
    }

    terminate() {
        this.#pool.close(new CofError('cancelled', 'the workers were ended'));
    }

    // Options

    resolvePreset(name, width, height, size) {
        this.#write({ preset: name, size }, { width, height });
        return readOptions(this.#instance, (info) => info.setByPreset);
    }

    resolveOptions(options, width, height) {
        this.#write(options, { width, height });
        return readOptions(this.#instance);
    }

    #write(options, size) {
        if (!(size.width >= 1 && size.height >= 1)) {
            refuseArgument(size.width >= 1 ? 'height' : 'width',
                'a preset needs a width and height above 0');
        }
        writeOptions(this.#instance, options, this.optionTable, size);
    }

    /** Values and bytes of the options for an image. */
    #options(options, size) {
        this.#write(options, size);
        return { values: readOptions(this.#instance), bytes: this.#instance.getOptions() };
    }

    /** Runs a call: `steps` receives a Job and the values of the options. */
    async #call(options, size, run, steps) {
        if (this.#pool.closed) {
            throw new CofError('cancelled', 'the workers were ended');
        }
        const { values, bytes } = this.#options(options, size);
        const report = run?.report || values.tolerance > 0; // which measures the change anyway
        const job = new Job(this.#pool, bytes, { ...run, report }, this.workers);
        return job.perform(() => steps(job, values));
    }

    /** What the filter needs to know of a model: how far it reads, its downscale factor, and the
     * options of the passes over a small image, as cof_coarse_new_filtered() says. */
    #prepare(bytes, options, optionBytes) {
        const instance = this.#instance;
        const { c } = instance;
        return instance.scope((scope) => {
            const model = scope.model(bytes);
            c.model_options(model);
            const downscale = readOptions(instance, ({ name }) => name === 'downscale').downscale;
            instance.setOptions(optionBytes);
            if (needsWhole(options, downscale)) {
                return { bytes, downscale, margin: 0 };
            }
            const small = { ...options, filter_downscale: 1, refine: 0, strength: 1, detail: 0 };
            const passes = filterFactor(options, downscale) > 1
                ? this.#options(small, NO_SIZE).bytes : optionBytes;
            return { bytes, downscale, passes, margin: this.#filterMargin(model) };
        });
    }

    /** A margin, or a status below 0. */
    #margin(found) {
        return found < 0 ? this.#instance.check(found) : found;
    }

    #filterMargin(model) {
        return this.#margin(this.#instance.c.filter_margin(model));
    }

    // Learning and filtering

    /** The images to learn from, and where. */
    #lesson(image, rest) {
        const images = asList(rest.from ?? image).map((one) =>
            (one instanceof Source ? one : Source.fromImage(one)));
        const mask = rest.mask ?? rest.roi;
        if (mask && images.length > 1) {
            refuseArgument('mask', 'a mask needs a single image to learn from');
        }
        if (images.length === 0) {
            throw new CofError('empty', 'there is no image to learn from', { argument: 'from' });
        }
        const roi = { region: checkRegion(rest.region),
                      mask: mask ? Source.fromMask(mask, images[0]) : undefined };
        return { images, roi };
    }

    /** Without a report of the library, all passes were run. */
    #result(job, source, data, values) {
        const report = job.report();
        report.passes ||= values.iterations || 1;
        return { data, width: source.width, height: source.height, report };
    }

    #planSmoothing(job, images, source, values) {
        const pixels = source.width * source.height;
        const learned = images.reduce((sum, one) => sum + one.width * one.height, 0);
        job.plan(learningUnits(learned, values) +
            filterUnits(pixels, values, filterFactor(values, values.downscale)));
    }

    /** The strips of an image that stay with their workers while it is learned from and filtered. */
    #strips(job, source, values) {
        if (values.downscale > 1 || values.filter_downscale > 1 || needsWhole(values, 1)) {
            return undefined;
        }
        this.#instance.setOptions(job.options);
        return Strips.of(job, source, this.#margin(this.#instance.c.smooth_margin()));
    }

    async #learnAndFilter(job, source, values, rest, contents) {
        const { images, roi } = this.#lesson(source, rest);
        this.#planSmoothing(job, images, source, values);
        const alone = job.parallel === 1 && fitsOnePart(source) && !contents;
        if (!rest.from && (alone || values.update === 'model')) {
            const mask = roi.mask?.part(roi.mask.whole);
            return { data: await smoothWhole(job, source, { ...roi, mask }) };
        }
        const strips = rest.from ? undefined : this.#strips(job, source, values);
        if (strips) {
            return strips.work({ roi, asked: { contents, data: true },
                                 filterUnits: passUnits(values) * (values.iterations || 1) });
        }
        let small;
        const onSmall = rest.from ? undefined : (made) => { small = made; };
        const shareLabels = !rest.from && canShareLabels(images, values);
        const learned = await learnModel(job, images,
            { options: values, roi, contents, onSmall, shareLabels });
        if (values.filter_downscale && values.filter_downscale !== values.downscale) {
            small = undefined;
        }
        const model = this.#prepare(learned.bytes, values, job.options);
        const data = await filterSource(job, source, { model, options: values, small,
            labels: learned.labels });
        return { data, learned };
    }

    async smooth(image, given, run) {
        const { options, rest } = separate(given, LEARNING);
        const source = Source.fromImage(image);
        return this.#call(options, source.size, run, async (job, values) => {
            const { data } = await this.#learnAndFilter(job, source, values, rest);
            return this.#result(job, source, data, values);
        });
    }

    async learn(image, given, run) {
        const { options, rest } = separate(given, LEARNING);
        const { images, roi } = this.#lesson(image, rest);
        return this.#call(options, images[0].size, run, async (job, values) => {
            job.plan(learningUnits(images.reduce((sum, one) => sum + one.width * one.height, 0),
                values));
            const { bytes } = await learnModel(job, images, { options: values, roi });
            return new Model(this.#instance, bytes);
        });
    }

    async apply(model, image, given, run) {
        if (!(model instanceof Model)) {
            refuseArgument('model', 'the model must be a Model');
        }
        const { options, rest } = separate(given, ['guide']);
        const source = Source.fromImage(image);
        const guide = rest.guide && Source.fromImage(rest.guide, 'guide');
        if (guide && (guide.width !== source.width || guide.height !== source.height)) {
            throw new CofError('mismatch', 'the guide differs in size from the image',
                { argument: 'guide' });
        }
        return this.#call(options, source.size, run, async (job, values) => {
            const window = values.filter_window || model.options.window;
            const prepared = this.#prepare(model.bytes, values, job.options);
            const known = { ...values, filter_window: window, palettes: model.palettes };
            job.plan(filterUnits(source.width * source.height, known,
                filterFactor(values, prepared.downscale)));
            const data = await filterSource(job, source, { model: prepared, guide,
                options: known });
            return this.#result(job, source, data, values);
        });
    }

    async #label(job, model, source) {
        const data = await mapParts(job, 'label', source, {
            margin: 0, units: UNITS.label, stage: 'labels', step: 1,
            data: new Uint8Array(source.width * source.height),
            describe: (rect) => ({ ...source.describe(rect), kind: 0, sample: 0, channels: 1,
                                   opaque: false }),
            message: () => ({ fields: { model: { key: `label ${job.key}`, bytes: model.bytes } } }),
        });
        return asMask(source, data);
    }

    async label(model, image, run) {
        if (!(model instanceof Model)) {
            refuseArgument('model', 'the model must be a Model');
        }
        const source = Source.fromImage(image);
        return this.#call({}, source.size, run, (job) => {
            job.plan(UNITS.label * source.width * source.height);
            return this.#label(job, model, source);
        });
    }

    async inspect(image, given, run) {
        const { options, rest } = separate(given, LEARNING);
        const source = Source.fromImage(image);
        return this.#call(options, source.size, { report: true, ...run }, async (job, values) => {
            if (values.update === 'model') {
                refuseOption('update', 'a model that changes with each pass cannot be inspected');
            }
            const { data, learned } =
                await this.#learnAndFilter(job, source, values, rest, true);
            const result = this.#result(job, source, data, values);
            const model = new Model(this.#instance, learned.bytes);
            const labels = learned.labels ? asMask(source, learned.labels.data)
                : await this.#label(job, model, source);
            this.#instance.setOptions(job.options);
            return inspectImage(this.#instance, { model, labels, values, learned, result });
        });
    }

    // Selecting

    async select(image, marks, options, run) {
        const source = Source.fromImage(image);
        return this.#call(options, source.size, run, (job) => {
            job.plan(UNITS.select * source.width * source.height);
            return selectMask(job, source, marks);
        });
    }

    async selector(image, options, run) {
        if (this.#pool.closed) {
            throw new CofError('cancelled', 'the workers were ended');
        }
        const source = Source.fromImage(image);
        const bytes = (given) => this.#options({ ...options, ...given }, source.size).bytes;
        return StrokeSelector.create(this.#newWorker, source, bytes({}), bytes, run);
    }

    /** The options of focus: what selecting, learning and matting support, and those with which
     * the background is smoothed by itself if it is not so simple. */
    #focusPlan(options, source, values, job) {
        const given = namedOptions(options, this.optionTable);
        const large = this.resolveOptions(given, LARGE_SIDE, LARGE_SIDE);
        const object = { ...given, preset: undefined, size: undefined, downscale: 1,
                         filter_downscale: 0, update: 'none', method: 'exact' };
        const objectBytes = this.#options(object, source.size).bytes;
        const margin = (pair, bytes) => this.#instance.scope((scope) => {
            this.#instance.setOptions(bytes);
            return this.#filterMargin(scope.model(pair));
        });
        return {
            options: values, objectBytes, margin,
            byMatte: given.preset !== undefined || values.method !== 'exact' ||
                values.update !== 'none' || large.downscale > 1 || large.filter_downscale > 1,
            withPasses: (iterations) => this.#options(
                { ...object, iterations: given.iterations || iterations }, source.size).bytes,
            prepare: (bytes) => this.#prepare(bytes, values, job.options),
        };
    }

    async focus(image, mask, options, effect, run) {
        const source = Source.fromImage(image);
        const marks = Source.fromMask(mask, source);
        const background = effect?.background ?? 'smooth';
        const { iterations } = this.#options(options, source.size).values;
        const full = { ...options, iterations: iterations || FOCUS_ITERATIONS };
        return this.#call(full, source.size, run, async (job, values) => {
            const plan = this.#focusPlan(options, source, values, job);
            const data = await focusImage(job, source, marks, background, plan);
            return this.#result(job, source, data, values);
        });
    }

    async recolour(image, mask, colour, options, run) {
        const source = Source.fromImage(image);
        const marks = Source.fromMask(mask, source);
        return this.#call(options, source.size, run, async (job, values) => {
            job.plan(UNITS.recolour * source.width * source.height);
            const data = await recolourImage(job, source, marks, colour);
            return this.#result(job, source, data, values);
        });
    }

    // Lines

    #changed(options, settings) {
        const { command = 'smooth', width, height } = settings;
        if (!commandNames.includes(command)) {
            refuseArgument('command', `command must be one of ${commandNames.join(', ')}`);
        }
        const given = namedOptions(options, this.optionTable);
        const size = width && height ? { width, height } : undefined;
        this.#write(given, size ?? NO_SIZE);
        const preset = given.preset === undefined ? {}
            : size ? this.resolvePreset(given.preset, width, height, given.size)
                : unknownPreset(this.optionTable);
        return changedOptions(given, command, this.optionTable, preset);
    }

    commandLine(options = {}, settings = {}) {
        return shellLine(this.#changed(options, settings), settings);
    }

    pythonLine(options = {}, settings = {}) {
        return pythonLines(this.#changed(options, settings), settings);
    }
}

/** Without a size, no option is known to have the preset's value. */
function unknownPreset(table) {
    return Object.fromEntries(table.filter((info) => info.setByPreset)
        .map((info) => [info.name, '']));
}
