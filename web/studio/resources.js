// SPDX-License-Identifier: BSD-2-Clause
// Where the page finds its workers, the WebAssembly and the built-in images: beside it, or in the
// page itself if it is a single file (build.py).
import { Cof } from './cof.js';

/* Set by build.py: {files: {name: base64}, scripts: {name: text}}. */
const inlined = globalThis.studioFiles;

function bytesOf(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

export function pixelWorker() {
    if (!inlined)
        return new Worker(new URL('pixel_worker.js', document.baseURI), { type: 'module' });
    const blob = new Blob([inlined.scripts['pixel_worker.js']], { type: 'text/javascript' });
    return new Worker(URL.createObjectURL(blob));
}

export function createCof(options = {}) {
    if (!inlined)
        return Cof.create(options);
    const wasm = { simd: bytesOf(inlined.files['cof.wasm']),
        plain: bytesOf(inlined.files['cof-plain.wasm']) };
    return Cof.create({ ...options, wasm, worker: { source: inlined.scripts['worker.js'] } });
}

export const BUILT_IN = [
    { name: 'coffee', title: 'Cup', text: 'A cup on a wooden table' },
    { name: 'cat', title: 'Cat', text: 'A cat with striped fur' },
    { name: 'tissue', title: 'Tissue', text: 'A stained tissue section' },
    { name: 'portrait', title: 'Portrait', text: 'An astronaut', preset: 'portrait' },
];

export function builtInAddress(name) {
    const file = `images/${name}.jpg`;
    return inlined ? `data:image/jpeg;base64,${inlined.files[file]}` : file;
}

/** A built-in image as a file. */
export async function builtInFile(name) {
    const file = `images/${name}.jpg`;
    const bytes = inlined ? bytesOf(inlined.files[file])
        : new Uint8Array(await (await fetch(file)).arrayBuffer());
    return new File([bytes], `${name}.jpg`, { type: 'image/jpeg' });
}

/** Lets the page work without a network once it has been open. */
export function workOffline() {
    if (!inlined && 'serviceWorker' in navigator && location.protocol !== 'file:')
        navigator.serviceWorker.register('sw.js').catch(() => {});
}
