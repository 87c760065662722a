// SPDX-License-Identifier: BSD-2-Clause
// The Co-occurrence Filter in browsers and node: libcof as WebAssembly on a pool of workers.
//
//     const cof = await Cof.create();
//     const smooth = await cof.smooth(context.getImageData(0, 0, width, height));
//
// Inputs are never changed and never detached. Results do not depend on the number of workers.
// Every method that computes returns a promise, which is rejected with a CofError.

import type { Options } from './options.js';
export type { Options };

/** Pixels, row by row: an ImageData, or the like with 1 to 4 channels (grey, grey and alpha, RGB,
 * RGBA), which is the length of `data` divided by width and height. Colour is sRGB. Floats have the
 * range 0 to 1. */
export interface ImageLike {
    readonly data: Uint8ClampedArray | Uint8Array | Uint16Array | Float32Array;
    readonly width: number;
    readonly height: number;
}

/** One byte for each pixel; those that are not 0 are marked. Results have 0 and 255. */
export interface Mask {
    readonly data: Uint8Array | Uint8ClampedArray;
    readonly width: number;
    readonly height: number;
}

/** A line through points. The middle of the first pixel is (0, 0). */
export interface Stroke {
    /** Pairs [x, y], or x and y in turn. */
    readonly points: ReadonlyArray<readonly [number, number]> | Float64Array;
    /** How far from the line pixels are marked, 0 to 10000; default 4. */
    readonly radius?: number;
}

export type Scribble = Mask | Stroke | readonly Stroke[];
export type Mark = 'foreground' | 'background' | 'erase';
/** '#rrggbb', '#rgb', or sRGB values 0 to 1. */
export type Colour = string | readonly [number, number, number];

export interface Rect {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
}

/** How a call is run. */
export interface Run {
    /** Called with the finished share, 0 to 1, and what is being done. */
    onProgress?: (done: number, stage: string) => void;
    /** Cancels the call: the promise is rejected with signal.reason at once, and workers that are
     * in the middle of a computation are replaced. */
    signal?: AbortSignal;
    /** Measure the change of each pass, which takes a little time. */
    report?: boolean;
}

/** What a call did. */
export interface Report {
    /** Passes of the filter. */
    passes: number;
    /** Mean squared change of each pass in 8-bit units, if Run.report is set; the convergence. */
    change: number[];
    /** Seconds from the call to its result. */
    seconds: number;
    /** Seconds spent in each stage (colour, palette, labels, count, model, filter, store), added up
     * over the workers. */
    stages: Record<string, number>;
    /** Terms and cell of the fast method; 0 if the filter was exact. */
    fastTerms: number;
    fastCell: number;
    /** Strips in which the image was filtered. */
    strips: number;
    /** Size in bytes of the WebAssembly memory of each worker, which never shrinks. */
    memory: number[];
}

export interface Result {
    /** Of the type and number of channels of the image; Uint8ClampedArray for Uint8ClampedArray, so
     * that `new ImageData(result.data, result.width)` works. */
    data: Uint8ClampedArray | Uint8Array | Uint16Array | Float32Array;
    width: number;
    height: number;
    report: Report;
}

/** What to learn from. By default, the image that is filtered. */
export interface LearnFrom {
    /** Learn from these images instead. */
    from?: ImageLike | readonly ImageLike[];
    /** Learn only in this rectangle (the palette comes from the whole image). */
    region?: Rect;
    /** Learn only where the mask is not 0; `roi` is the same. Needs a single image. */
    mask?: Mask;
    roi?: Mask;
}

/** A learned model. It belongs to no pool, can be used by any, and has nothing to be freed. */
export class Model {
    /** Reads a .cof file: a model, statistics, or a pair of models (then this is the background's).
     * Throws a CofError if the bytes are damaged or of another kind. */
    static from(bytes: ArrayBuffer | ArrayBufferView, options?: Options): Model;
    /** The .cof file, which the command and Python open. */
    readonly bytes: Uint8Array;
    /** Entries of the (first) palette. */
    readonly size: number;
    readonly kind: 'grey' | 'rgb' | 'bands';
    /** How many palettes there are; what follows tells of the first. */
    readonly palettes: number;
    /** size x bands: Lab of an RGB model. */
    readonly palette: Float32Array;
    /** size x 3: the palette in sRGB, 0 to 255. */
    readonly colours: Uint8Array;
    /** M, size x size. */
    readonly matrix: Float64Array;
    /** How frequent each entry is; the sum is 1. */
    readonly frequencies: Float64Array;
    /** The options that it was learned with: window, palettes, downscale, sigma and so on. */
    readonly options: Options;
}

/** What was learned from an image, and where its pixels are in it. */
export interface Inspection {
    model: Model;
    /** The label of each pixel, 0 to model.size - 1. */
    labels: Mask;
    /** How many pixels have each label. */
    histogram: Float64Array;
    /** How many ordered pairs of pixels in a window have each two labels, size x size. */
    counts: Float64Array;
    /** All options as they were used, with those of the preset, and the windows and sigmas that
     * were automatic. */
    options: Options;
    /** The weights with which the pixel (x, y) averages those of its window in one pass:
     * Gaussian x M, their sum is 1. With a downscale factor, passes run on the downscaled image:
     * then these are the weights at full size. */
    weights(x: number, y: number): { x: number; y: number; width: number; height: number;
                                     data: Float32Array };
    /** The image after all passes, and the change of each: report.change. */
    result: Result;
    report: Report;
}

/** Selecting while somebody draws: as cof.select(), but preparing the image once. It has a worker
 * of its own, so that it is not delayed by other calls. A call that is cancelled closes it. */
export interface Selector {
    readonly width: number;
    readonly height: number;
    /** Marks pixels near a line. New marks replace others. `mark` is 'foreground' by default. */
    addStroke(stroke: Stroke, mark?: Mark): Promise<void>;
    addPixels(pixels: Mask, mark?: Mark): Promise<void>;
    /** Removes marks near a line. */
    erase(stroke: Stroke): Promise<void>;
    /** Removes all marks. For undo: clear(), then add the strokes that remain. */
    clear(): Promise<void>;
    /** The mask of all marks so far. A CofError of status 'empty' if none is foreground. */
    mask(options?: Pick<Options, 'min_area'>, run?: Run): Promise<Mask>;
    /** The last mask, changed near the marks that were added or erased since then: within about
     * three times the length of each stroke. As mask() if there is none, or no background mark. */
    corrected(options?: Pick<Options, 'min_area'>, run?: Run): Promise<Mask>;
    /** As corrected(), but returns nothing, which is faster: for strokes that are drawn again, as
     * after undo. */
    correct(options?: Pick<Options, 'min_area'>, run?: Run): Promise<void>;
    /** Gives a mask that corrected() is to correct. Only marks that contradict it
     * correct it. */
    setMask(mask: Mask): Promise<void>;
    close(): void;
}

/** What becomes of the background; a matte instead of a mask decides how much of each pixel it is. */
export type Background = 'smooth' | 'grey' | 'transparent' | { tint: Colour } | { image: ImageLike };

export interface OptionInfo {
    /** As in the library, the command (with hyphens) and Python: 'filter_window'. */
    name: string;
    /** 'seed' is an integer of 64 bits: a number, or a bigint. */
    type: 'integer' | 'seed' | 'number' | 'choice';
    group: 'general' | 'learn' | 'model' | 'filter' | 'select' | 'run';
    /** A number, or the word of a choice; undefined for the preset. */
    default: number | string | undefined;
    /** Of numbers. */
    min: number;
    max: number;
    /** Only odd numbers are allowed. */
    odd: boolean;
    /** 0 is allowed below `min` and means this, such as 'the learning window'; '' if it is not. */
    automatic: string;
    /** The words of a choice; [] for others. */
    choices: string[];
    /** Set by presets, or by variants. */
    setByPreset: boolean;
    setByVariant: boolean;
    /** A few words for a dialog, such as 'Filter window', and a line of help. */
    label: string;
    help: string;
}

/** What to write a line for. Texts that are file names are quoted as needed. */
export interface LineSettings {
    /** What is done; default 'smooth'. */
    command?: 'smooth' | 'learn' | 'apply' | 'select' | 'focus' | 'recolour';
    /** File names; default 'input.jpg', 'output.png', 'model.cof' and 'mask.png'. The lines quote
     * them, and the command has ./ in front of those that begin with -. */
    input?: string;
    output?: string;
    model?: string;
    /** A mask file, if there are no strokes. */
    mask?: string;
    foreground?: readonly Stroke[];
    background?: readonly Stroke[];
    region?: Rect;
    /** A reference image to learn from. */
    from?: string;
    /** Of focus: the effect. */
    effect?: 'smooth' | 'grey' | 'transparent' | { tint: Colour };
    /** Of recolour. */
    colour?: Colour;
    /** The size of the image, for presets: an option that has the preset's value is left out. */
    width?: number;
    height?: number;
}

export interface CreateOptions {
    /** Default: the number of cores, at most 8. */
    workers?: number;
    /** Where the WebAssembly is: a folder (default: that of the module), or the bytes or compiled
     * modules themselves, for pages that are a single file. */
    wasm?: string | URL | { simd?: BufferSource | WebAssembly.Module;
                            plain?: BufferSource | WebAssembly.Module };
    /** The address of worker.js, or its text (a page that is a single file), from which a Blob
     * is made. Default: worker.js beside the module. */
    worker?: URL | { source: string };
    /** false: use the build without SIMD. Default: whether the engine supports it. */
    simd?: boolean;
}

export class Cof {
    static create(options?: CreateOptions): Promise<Cof>;
    /** Whether this engine supports WebAssembly SIMD. */
    static hasSimd(): boolean;

    readonly workers: number;
    readonly simd: boolean;
    /** The version of the library, such as '1.0.0'. */
    readonly version: string;
    /** All options, in the order of the help. */
    readonly optionTable: readonly OptionInfo[];

    /** The options that a preset sets for an image of this size, with the option `size`. */
    resolvePreset(name: string, width: number, height: number, size?: number): Options;
    /** All options as the library will use them for an image of this size. Throws a CofError with
     * `option` if one is wrong. */
    resolveOptions(options: Options, width: number, height: number): Required<Options>;

    smooth(image: ImageLike, options?: Options & LearnFrom, run?: Run): Promise<Result>;
    learn(image: ImageLike | readonly ImageLike[], options?: Options & LearnFrom,
          run?: Run): Promise<Model>;
    /** Filters with a model; options of learning have no effect. `guide`, as large as the image,
     * decides which pixels are averaged. */
    apply(model: Model, image: ImageLike, options?: Options & { guide?: ImageLike },
          run?: Run): Promise<Result>;
    inspect(image: ImageLike, options?: Options & LearnFrom, run?: Run): Promise<Inspection>;
    /** The label of each pixel in the (first) palette of a model. */
    label(model: Model, image: ImageLike, run?: Run): Promise<Mask>;

    /** The mask of what strokes or marked pixels belong to. */
    select(image: ImageLike, marks: { foreground: Scribble; background?: Scribble },
           options?: Options, run?: Run): Promise<Mask>;
    selector(image: ImageLike, options?: Options, run?: Run): Promise<Selector>;
    /** Keeps what the mask marks and changes the background, as `cof focus` does. With
     * 'transparent', the result of an RGB image is RGBA, that of a grey one grey and alpha. */
    focus(image: ImageLike, mask: Mask, options?: Options,
          effect?: { background?: Background }, run?: Run): Promise<Result>;
    recolour(image: ImageLike, mask: Mask, colour: Colour, options?: Options,
             run?: Run): Promise<Result>;

    /** The `cof` command that computes what is shown: only options that differ. */
    commandLine(options?: Options, settings?: LineSettings): string;
    /** The Python that does. */
    pythonLine(options?: Options, settings?: LineSettings): string;

    /** Ends the workers. Calls that are running are rejected, and later ones too. */
    terminate(): void;
}

export type CofStatus = 'argument' | 'option' | 'memory' | 'format' | 'version' | 'mismatch' |
    'empty' | 'unsupported' | 'cancelled' | 'busy' | 'internal';

/** Why a call failed. `message` is one line. */
export class CofError extends Error {
    readonly name: 'CofError';
    readonly status: CofStatus;
    /** The option at fault, such as 'window', or undefined. */
    readonly option?: string;
    /** The argument at fault, such as 'mask', or undefined. */
    readonly argument?: string;
}
