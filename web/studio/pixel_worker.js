// SPDX-License-Identifier: BSD-2-Clause
// Decodes and encodes images, so that the page does not wait for it.
import { fullImage, openImage, scaledImage } from './decode.js';
import { encodeImage, toBitmap } from './encode.js';
import { zip } from './zip.js';

const TASKS = { openImage, fullImage, scaledImage, encodeImage, toBitmap, zip };

function transferable(result) {
    if (typeof ImageBitmap !== 'undefined' && result instanceof ImageBitmap)
        return [result];
    const pixels = result.preview ?? result;
    return pixels.data ? [pixels.data.buffer] : [];
}

self.onmessage = async ({ data: { id, task, values } }) => {
    try {
        const result = await TASKS[task](...values);
        self.postMessage({ id, result }, transferable(result));
    } catch (error) {
        self.postMessage({ id, message: error.message });
    }
};
