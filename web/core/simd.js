// SPDX-License-Identifier: BSD-2-Clause
// Which build of the library an engine can run, and where it is.
import { CofError } from './errors.js';
import { nodeModule } from './node_module.js';

// A module with one function: i32.const 0, i8x16.splat, i8x16.popcnt.
const SIMD_MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
    10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

export function hasWasmSimd() {
    return typeof WebAssembly === 'object' && WebAssembly.validate(SIMD_MODULE);
}

async function readWasm(url) {
    if (url.protocol === 'file:' && typeof process === 'object') {
        const { readFile } = await nodeModule('fs/promises');
        return readFile(url);
    }
    const answer = await fetch(url);
    if (!answer.ok) {
        throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
    }
    return answer.arrayBuffer();
}

async function compileWasm(source) {
    return source instanceof WebAssembly.Module ? source : WebAssembly.compile(source);
}

/** The compiled module; `wasm` and `simd` as in CreateOptions. */
export async function loadModule(wasm, simd) {
    if (typeof WebAssembly !== 'object') {
        throw new CofError('unsupported', 'this browser has no WebAssembly');
    }
    const isPlace = wasm === undefined || typeof wasm === 'string' || wasm instanceof URL;
    try {
        if (!isPlace) {
            return { module: await compileWasm((simd && wasm.simd) || wasm.plain || wasm.simd),
                     simd: Boolean((simd && wasm.simd) || !wasm.plain) };
        }
        const base = globalThis.document?.baseURI ?? import.meta.url;
        const folder = wasm === undefined ? import.meta.url
            : new URL(String(wasm).replace(/\/*$/, '/'), base);
        const url = new URL(simd ? 'cof.wasm' : 'cof-plain.wasm', folder);
        return { module: await compileWasm(await readWasm(url)), simd };
    } catch (error) {
        throw new CofError('unsupported', `libcof cannot be loaded: ${error.message}`);
    }
}
