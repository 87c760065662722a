// SPDX-License-Identifier: BSD-2-Clause
// A learned model, as the bytes of a .cof file and what they contain.
import { CofError } from './errors.js';
import { readOptions } from './options.js';

const KIND_WORDS = { 0: 'grey', 2: 'rgb', 4: 'bands' };

// The instance that reads models; there is one as soon as a Cof was created.
let reader;

export function setModelReader(instance) {
    reader ??= instance;
}

// CIE Lab with the white of sRGB, to sRGB of 0 to 255.
const WHITE = [0.95047, 1, 1.08883];
const TO_LINEAR = [
    [3.2404542, -1.5371385, -0.4985314],
    [-0.9692660, 1.8760108, 0.0415560],
    [0.0556434, -0.2040259, 1.0572252],
];

function labToRgb([l, a, b]) {
    const y = (l + 16) / 116;
    const root = [y + a / 500, y, y - b / 200];
    const xyz = root.map((f, i) => WHITE[i] * (f > 6 / 29 ? f ** 3 : (f - 4 / 29) * 3 * (6 / 29) ** 2));
    return TO_LINEAR.map((row) => {
        const light = Math.min(Math.max(row.reduce((sum, m, i) => sum + m * xyz[i], 0), 0), 1);
        return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
    });
}

/** Palettes of grey are in units of the samples: floats, 8 or 16 bits. */
function greyScale(palette) {
    const largest = palette.reduce((max, value) => Math.max(max, value), 0);
    return largest <= 1 ? 255 : largest <= 255 ? 1 : 1 / 257;
}

function coloursOf(palette, size, bands, kind) {
    const colours = new Uint8ClampedArray(3 * size);
    const scale = greyScale(palette);
    for (let i = 0; i < size; i++) {
        const row = palette.subarray(i * bands, (i + 1) * bands);
        const rgb = kind === 'rgb' ? labToRgb(row) : [row[0], row[0], row[0]].map((v) => v * scale);
        colours.set(rgb, 3 * i);
    }
    return new Uint8Array(colours.buffer);
}

function contentsOf(instance, model) {
    const { c } = instance;
    const size = c.model_size(model);
    const bands = c.model_bands(model);
    const kind = KIND_WORDS[c.model_kind(model)];
    const palette = instance.array(Float32Array, c.model_palette(model), size * bands);
    c.model_options(model);
    return {
        size, kind, palette,
        palettes: c.model_palettes(model),
        colours: coloursOf(palette, size, bands, kind),
        matrix: instance.array(Float64Array, c.model_matrix(model), size * size),
        frequencies: instance.array(Float64Array, c.model_frequencies(model), size),
        options: readOptions(instance, (info) => info.group === 'learn' || info.group === 'model'),
    };
}

function bytesOf(source) {
    if (source instanceof ArrayBuffer) {
        return new Uint8Array(source.slice(0));
    }
    if (ArrayBuffer.isView(source)) {
        return new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice();
    }
    throw new CofError('argument', 'a model is read from an ArrayBuffer or an array of bytes',
        { argument: 'bytes' });
}

export class Model {
    static from(bytes) {
        if (!reader) {
            throw new CofError('argument', 'create a Cof before models are read');
        }
        return new Model(reader, bytesOf(bytes));
    }

    /** Statistics become a model; of a pair, the background is kept. */
    constructor(instance, bytes) {
        instance.c.options_init();
        instance.scope((scope) => {
            const model = scope.model(bytes);
            instance.check(instance.c.model_save(model));
            this.bytes = instance.bytes();
            Object.assign(this, contentsOf(instance, model));
        });
        instance.c.session_clear();
        Object.freeze(this);
    }
}
