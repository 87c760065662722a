// SPDX-License-Identifier: BSD-2-Clause
// Writes image files, and converts pixels for the screen. Runs in the pixel worker.
import { encodePng } from './png.js';

/** The number of channels of pixels. */
export function channelsOf(image) {
    return image.data.length / (image.width * image.height);
}

/** The pixels as an ImageData. */
export function toImageData(image) {
    const n = channelsOf(image), { data, width, height } = image;
    if (n === 4)
        return new ImageData(
            new Uint8ClampedArray(data.buffer, data.byteOffset, data.length), width);
    const rgba = new Uint8ClampedArray(width * height * 4);
    const [green, blue] = n < 3 ? [0, 0] : [1, 2];
    for (let from = 0, to = 0; to < rgba.length; from += n, to += 4) {
        rgba[to] = data[from];
        rgba[to + 1] = data[from + green];
        rgba[to + 2] = data[from + blue];
        rgba[to + 3] = n === 2 ? data[from + 1] : 255;
    }
    return new ImageData(rgba, width);
}

/** The pixels as a bitmap, which a canvas draws fast. */
export function toBitmap(image) {
    return createImageBitmap(toImageData(image));
}

async function throughCanvas(image, type, quality) {
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    if (!context)
        throw new Error('the image is too large for this format; choose PNG');
    context.putImageData(toImageData(image), 0, 0);
    const blob = await canvas.convertToBlob({ type, quality });
    if (blob.type !== type)
        throw new Error(`this browser does not write ${type.slice(6)} files; choose PNG`);
    return blob;
}

/** An image file: format is png, jpeg or webp, quality 0 to 1. */
export function encodeImage(image, format, quality) {
    if (format === 'png')
        return encodePng({ ...image, channels: channelsOf(image) });
    return throughCanvas(image, `image/${format}`, quality);
}
