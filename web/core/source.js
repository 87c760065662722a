// SPDX-License-Identifier: BSD-2-Clause
// Images of the caller, and the parts of them that workers receive.
import { CofError, refuseArgument } from './errors.js';

// CofKind by the number of channels, and CofSample by type.
const GREY = 0;
const RGB = 2;
const KINDS = [undefined, GREY, 1, RGB, 3];
const SAMPLES = [[Uint8ClampedArray, 0], [Uint8Array, 0], [Uint16Array, 1], [Float32Array, 2]];
const MAX_SIDE = 2 ** 30;

function checkSize(image, name) {
    const isSide = (n) => Number.isInteger(n) && n >= 1 && n <= MAX_SIDE;
    if (!image || typeof image !== 'object' || !image.data) {
        refuseArgument(name, `the ${name} must be an object with data, width and height`);
    }
    if (!isSide(image.width) || !isSide(image.height)) {
        refuseArgument(name, `the ${name} must have a width and height above 0`);
    }
}

function findSample(data, name) {
    const found = SAMPLES.find(([Type]) => data instanceof Type);
    if (!found) {
        refuseArgument(name, `the data of the ${name} must be a Uint8ClampedArray, Uint8Array, ` +
            'Uint16Array or Float32Array');
    }
    return found[1];
}

/** The type of the samples; of node's Buffer, Uint8Array. */
function typeOf(data) {
    return SAMPLES.find(([Type]) => data instanceof Type)[0];
}

function isOpaque(data) {
    if (data.byteOffset % 4 !== 0) {
        return isOpaque(new Uint8Array(data));
    }
    const words = new Int32Array(data.buffer, data.byteOffset, data.length / 4);
    const [alpha] = new Int32Array(new Uint8Array([0, 0, 0, 255]).buffer);
    const length = words.length;
    let i = 0;
    for (; i + 4 <= length; i += 4) { // four at a time take half as long
        if ((words[i] & words[i + 1] & words[i + 2] & words[i + 3] & alpha) !== alpha) {
            return false;
        }
    }
    for (; i < length; i++) {
        if ((words[i] & alpha) !== alpha) {
            return false;
        }
    }
    return true;
}

export class Source {
    /** An opaque RGBA image is read as RGB, so that it gives what a file without alpha does. */
    static fromImage(image, name = 'image') {
        checkSize(image, name);
        const channels = image.data.length / (image.width * image.height);
        if (![1, 2, 3, 4].includes(channels)) {
            refuseArgument(name, `the data of the ${name} must have 1 to 4 values for each pixel`);
        }
        const sample = findSample(image.data, name);
        const format = channels === 4 && sample === 0 ? undefined
            : { kind: KINDS[channels], sample };
        return new Source(image.data, image.width, image.height, channels, format);
    }

    static fromMask(mask, size, name = 'mask') {
        checkSize(mask, name);
        if (mask.data.BYTES_PER_ELEMENT !== 1 || mask.data.length !== mask.width * mask.height) {
            refuseArgument(name, `the data of the ${name} must have one byte for each pixel`);
        }
        if (mask.width !== size.width || mask.height !== size.height) {
            throw new CofError('mismatch', `the ${name} differs in size from the image`,
                { argument: name });
        }
        return new Source(mask.data, mask.width, mask.height, 1, { kind: GREY, sample: 0 });
    }

    #format;

    /** `format` has kind, sample and opaque; undefined is RGBA of 8 bits that may be opaque. `step` is
     * the number of values of a pixel in data. */
    constructor(data, width, height, step, format, valid) {
        Object.assign(this, { data, width, height, step, valid });
        this.#format = format;
    }

    get format() {
        if (!this.isKnown) {
            this.setOpaque(isOpaque(this.data));
        }
        return this.#format;
    }

    /** Whether it is known if an RGBA image is opaque. Workers find that out in less time, since they
     * read their parts anyway. */
    get isKnown() {
        return this.#format !== undefined;
    }

    setOpaque(opaque) {
        this.#format = { kind: opaque ? RGB : KINDS[4], sample: 0, opaque };
    }

    /** Reads the image as another one. */
    setFormat(format) {
        this.#format = format;
    }

    get size() {
        return { width: this.width, height: this.height };
    }

    get whole() {
        return { x: 0, y: 0, width: this.width, height: this.height };
    }

    get hasColours() {
        return this.format.kind >= RGB;
    }

    withValid(valid) {
        return new Source(this.data, this.width, this.height, this.step, this.format, valid);
    }

    /** An array for an image of this kind. */
    newData(size = this) {
        return new (typeOf(this.data))(size.width * size.height * this.step);
    }

    /** What a worker needs to know of a rectangle of the image. */
    describe(rect) {
        const { kind, sample, opaque } = this.format;
        return { ...rect, kind, sample, opaque: Boolean(opaque), channels: opaque ? 3 : this.step,
                 fullWidth: this.width, fullHeight: this.height };
    }

    /** A copy of a rectangle, with the buffers to transfer. */
    part(rect) {
        return this.#copy(rect, this.describe(rect));
    }

    /** The same, for a task that finds out if the image is opaque. `findSpare(size)` may return memory
     * for the copy. */
    unknownPart(rect, findSpare) {
        const part = this.isKnown ? this.describe(rect) : { ...rect, kind: KINDS[4], sample: 0,
            opaque: undefined, channels: 4, fullWidth: this.width, fullHeight: this.height };
        return this.#copy(rect, part, findSpare);
    }

    #copy(rect, part, findSpare) {
        part.data = copyRect(this.data, this, rect, this.step, findSpare);
        part.valid = this.valid && copyRect(this.valid, this, rect, 1);
        return part;
    }

    /** Writes a part of a result into the array of a whole one. */
    paste(data, rect, values, step = this.step) {
        pasteRect(data, this, rect, values, step);
    }
}

function copyRect(data, size, rect, step, findSpare) {
    const Type = typeOf(data);
    const length = rect.width * rect.height * step;
    const spare = findSpare?.(length * Type.BYTES_PER_ELEMENT);
    const rows = data.subarray(rect.y * size.width * step, (rect.y + rect.height) * size.width * step);
    if (rect.width === size.width && !spare) {
        return new Type(rows); // in memory that is not cleared before
    }
    const copy = spare ? new Type(spare, 0, length) : new Type(length);
    if (rect.width === size.width) {
        copy.set(rows);
        return copy;
    }
    for (let y = 0; y < rect.height; y++) {
        const start = ((rect.y + y) * size.width + rect.x) * step;
        copy.set(data.subarray(start, start + rect.width * step), y * rect.width * step);
    }
    return copy;
}

function pasteRect(data, size, rect, values, step) {
    if (rect.width === size.width) {
        data.set(values, rect.y * size.width * step);
        return;
    }
    for (let y = 0; y < rect.height; y++) {
        const row = values.subarray(y * rect.width * step, (y + 1) * rect.width * step);
        data.set(row, ((rect.y + y) * size.width + rect.x) * step);
    }
}

/** The buffers of what part() returns, which can be transferred. */
export function buffersOf(...parts) {
    return parts.filter(Boolean).flatMap((part) => (part.valid
        ? [part.data.buffer, part.valid.buffer] : [part.data.buffer]));
}
