// SPDX-License-Identifier: BSD-2-Clause
// Calls the pixel worker.
import { pixelWorker } from './resources.js';

let worker = null;
let count = 0;
const waiting = new Map();

function answer({ data: { id, result, message } }) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (message === undefined)
        resolve(result);
    else
        reject(new Error(message));
}

/* The worker ended, perhaps for want of memory: whoever waits is told, and the next call starts
 * another one. */
function fail() {
    worker.terminate();
    worker = null;
    for (const { reject } of waiting.values())
        reject(new Error('not enough memory for this image'));
    waiting.clear();
}

function call(task, ...values) {
    if (!worker) {
        worker = pixelWorker();
        worker.onmessage = answer;
        worker.onerror = fail;
    }
    return new Promise((resolve, reject) => {
        waiting.set(++count, { resolve, reject });
        worker.postMessage({ id: count, task, values });
    });
}

export const openImage = (blob) => call('openImage', blob);
export const fullImage = (blob) => call('fullImage', blob);
export const scaledImage = (image, width, height) => call('scaledImage', image, width, height);
export const toBitmap = (image) => call('toBitmap', image);
export const encodeImage = (image, format, quality) => call('encodeImage', image, format, quality);
export const zip = (files) => call('zip', files);
