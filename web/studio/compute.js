// SPDX-License-Identifier: BSD-2-Clause
// From settings to calls of the filter, and to the command and the Python that do the same.
import { givenOptions, hasSelection, selectingCount, strokesAreSimple } from './settings.js';
import { previewOptions } from './preview_options.js';

const NOT_FOR_RECOLOUR = ['window', 'downscale', 'gap', 'likelihood'];

/** What the settings ask for: 'smooth', 'apply', 'focus' or 'recolour'. */
export function commandOf(settings) {
    if (hasSelection(settings))
        return settings.effect === 'recolour' ? 'recolour' : 'focus';
    return settings.model ? 'apply' : 'smooth';
}

function usesOption(command, info) {
    if (command === 'recolour')
        return ['learn', 'model', 'select'].includes(info.group) &&
            !NOT_FOR_RECOLOUR.includes(info.name);
    if (command === 'apply')
        return ['general', 'filter'].includes(info.group);
    if (command === 'focus')
        return info.name !== 'variant';
    return info.group !== 'select';
}

/* Leaves out options that the command does not have. */
function optionsOf(cof, command, options) {
    const allowed = new Set(cof.optionTable.filter((info) => usesOption(command, info))
        .map((info) => info.name));
    return Object.fromEntries(Object.entries(options).filter(([name]) => allowed.has(name)));
}

/** The options for an image of the size `size`, which stands for one of the size `full`. */
export function optionsFor(cof, settings, full, size) {
    return optionsOf(cof, commandOf(settings), previewOptions(cof, settings, full, size));
}

/* A rectangle or a stroke of the full image, in pixels of a smaller one. */
function scaledRegion(region, full, size) {
    if (size.width === full.width && size.height === full.height)
        return region;
    const [fx, fy] = [size.width / full.width, size.height / full.height];
    const x = Math.floor(region.x * fx), y = Math.floor(region.y * fy);
    return { x, y, width: Math.max(1, Math.min(size.width - x, Math.round(region.width * fx))),
        height: Math.max(1, Math.min(size.height - y, Math.round(region.height * fy))) };
}

function scaledStroke({ points, radius }, full, size) {
    const [fx, fy] = [size.width / full.width, size.height / full.height];
    return { radius: radius * fx,
        points: points.map(([x, y]) => [(x + 0.5) * fx - 0.5, (y + 0.5) * fy - 0.5]) };
}

/** A selection that follows the strokes on one image. */
export class LiveSelection {
    constructor(cof, image, full) {
        Object.assign(this, { cof, image, full, selector: null, drawn: [], masked: 0, minArea: 0,
            last: null, turn: Promise.resolve() });
    }

    async draw(stroke) {
        const scaled = scaledStroke(stroke, this.full, this.image);
        if (stroke.mark === 'erase')
            await this.selector.erase(scaled);
        else
            await this.selector.addStroke(scaled,
                stroke.mark === 'keep' ? 'foreground' : 'background');
        this.drawn.push(stroke);
    }

    /* Makes the mask of what is drawn, of which `selecting` strokes select together. */
    async makeMask(selecting, isLast) {
        const { selector, drawn } = this, options = { min_area: this.minArea };
        const correct = drawn.length > selecting && this.masked >= selecting;
        const mask = await (!correct ? selector.mask(options)
            : isLast ? selector.corrected(options) : selector.correct(options));
        this.masked = drawn.length;
        return mask;
    }

    /* Adds what is new and makes the mask; starts again if a stroke was taken back. A correction
     * changes the mask of all strokes before it, so that mask is made first, unless all of the
     * object is erased. `masked` is the number of strokes of the last mask. */
    async follow(strokes, minArea, run) {
        const continues = this.drawn.every((stroke, i) => stroke === strokes[i]);
        if (!continues || (minArea !== this.minArea && this.drawn.length > 0)) {
            await this.selector.clear();
            Object.assign(this, { drawn: [], masked: 0 });
        }
        this.minArea = minArea;
        const selecting = selectingCount(strokes);
        for (let i = this.drawn.length; i < strokes.length; i++) {
            run.signal?.throwIfAborted();
            if (i >= selecting && this.masked < i)
                await this.makeMask(selecting, false).catch((error) => {
                    if (error.status !== 'empty')
                        throw error;
                });
            await this.draw(strokes[i]);
        }
        run.signal?.throwIfAborted();
        return this.makeMask(selecting, true);
    }

    /** The mask of the strokes; the same object if neither strokes nor options have changed. Calls
     * wait for each other. One that is cancelled ends after a stroke: the selector could not be used
     * any more if one of its own calls were cancelled. */
    mask(settings, run = {}) {
        const mask = this.turn.then(() => this.maskInTurn(settings, run));
        this.turn = mask.catch(() => {});
        return mask;
    }

    async maskInTurn(settings, run) {
        const minArea = settings.options.min_area ?? 0;
        if (this.last?.strokes === settings.strokes && this.last.minArea === minArea)
            return this.last.mask;
        if (this.closed)
            throw new DOMException('the selection is closed', 'AbortError');
        this.selector ??= await this.cof.selector(this.image, {}, run);
        const mask = await this.follow(settings.strokes, minArea, run);
        this.last = { strokes: settings.strokes, minArea, mask };
        return mask;
    }

    close() {
        this.closed = true;
        this.selector?.close();
        this.selector = null;
    }
}

function backgroundOf({ effect, colour }) {
    return effect === 'tint' ? { tint: colour } : effect;
}

/* Spreading as in the paper has no selector. */
async function spreadMask(cof, image, full, settings, options, run) {
    const marked = (mark) => settings.strokes.filter((stroke) => stroke.mark === mark)
        .map((stroke) => scaledStroke(stroke, full, image));
    const background = marked('smooth');
    return cof.select(image, { foreground: marked('keep'),
        ...(background.length ? { background } : {}) }, options, run);
}

/** The mask of what the strokes select in the image. */
export async function selectionMask(cof, image, full, settings, live, run) {
    const options = optionsFor(cof, settings, full, image);
    if (options.select_method === 'spread')
        return spreadMask(cof, image, full, settings, options, run);
    return live.mask(settings, run);
}

/** What the settings make of an image, which stands for one of the size `full`. */
export async function compute(cof, image, full, settings, live, run) {
    const command = commandOf(settings), options = optionsFor(cof, settings, full, image);
    if (command === 'apply')
        return cof.apply(settings.model.model, image, options, run);
    if (command === 'smooth')
        return cof.smooth(image, withRegion(options, settings, full, image), run);
    const mask = await selectionMask(cof, image, full, settings, live, run);
    if (command === 'recolour')
        return cof.recolour(image, mask, settings.colour, options, run);
    return cof.focus(image, mask, options, { background: backgroundOf(settings) }, run);
}

function withRegion(options, settings, full, image) {
    return settings.region
        ? { ...options, region: scaledRegion(settings.region, full, image) } : options;
}

/** The model that the settings learn from an image. */
export function learn(cof, image, full, settings, run) {
    const options = optionsOf(cof, 'smooth', previewOptions(cof, settings, full, image));
    return cof.learn(image, withRegion(options, settings, full, image), run);
}

/** {settings, model, labels}, and for a model that is learned from the image {weights, change,
 * result}. */
export async function learnedFrom(cof, image, full, settings, run) {
    if (commandOf(settings) === 'apply') {
        const { model } = settings.model;
        return { settings, model, labels: await cof.label(model, image, run) };
    }
    const options = optionsOf(cof, 'smooth', previewOptions(cof, settings, full, image));
    const found = await cof.inspect(image, withRegion(options, settings, full, image), run);
    return { settings, model: found.model, labels: found.labels, result: found.result,
        weights: (x, y) => found.weights(x, y), change: found.report.change };
}

/** The name of a file that belongs to another: photo.jpg becomes photo-cof.png. */
export function relatedName(name, ending) {
    const dot = name.lastIndexOf('.');
    return `${dot > 0 ? name.slice(0, dot) : name}-${ending}`;
}

function strokesOf(settings, mark) {
    return settings.strokes.filter((stroke) => stroke.mark === mark)
        .map(({ points, radius }) => ({ points, radius }));
}

/** {command, python, note} for an image {name, width, height}, saved in a format. */
export function lines(cof, settings, image, suffix) {
    const command = commandOf(settings);
    const line = { command, input: image.name, output: relatedName(image.name, `cof.${suffix}`),
        width: image.width, height: image.height };
    let note = '';
    if (command === 'apply') {
        line.model = settings.model.name;
    } else if (command === 'smooth') {
        if (settings.region)
            line.region = settings.region;
    } else {
        note = addSelection(line, settings, image);
    }
    const options = optionsOf(cof, command, givenOptions(settings));
    return { command: cof.commandLine(options, line), python: cof.pythonLine(options, line), note };
}

function addSelection(line, settings, image) {
    if (line.command === 'recolour')
        line.colour = settings.colour;
    else
        line.effect = backgroundOf(settings);
    const corrected = selectingCount(settings.strokes) < settings.strokes.length &&
        settings.options.select_method !== 'spread';
    if (!corrected && strokesAreSimple(settings.strokes)) {
        line.foreground = strokesOf(settings, 'keep');
        line.background = strokesOf(settings, 'smooth');
        return '';
    }
    line.mask = relatedName(image.name, 'mask.png');
    const reason = corrected ? 'Strokes have corrected the selection'
        : 'Strokes overlap or were erased';
    return `${reason}, so the lines read the mask: choose Save mask.`;
}
