// SPDX-License-Identifier: BSD-2-Clause
// Images, and the native library as the command `cof`, for the tests of the JavaScript package.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');
export const packageFolder = resolve(process.env.COF_WEB ?? join(root, 'build-web/package'));
export const { Cof, CofError, Model } =
    await import(pathToFileURL(join(packageFolder, 'cof.js')));

export const folder = mkdtempSync(join(tmpdir(), 'cof-web-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
export const path = (name) => join(folder, name);
export const dataPath = (name) => join(root, 'tests/data', name);

/** Runs the command with kernels in C. */
export function cof(...words) {
    const command = process.env.COF ?? join(root, 'build/cli/cof');
    return execFileSync(command, words.map(String),
        { env: { ...process.env, COF_CPU: 'c' }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Smooths RGB floats with Python's package, since the command has no format for such values. */
export function nativeFloats({ width, height, data }) {
    const lines = `import sys; import numpy as np; import cof
image = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(${height}, ${width}, 3)
sys.stdout.buffer.write(cof.smooth(image).tobytes())`;
    const found = execFileSync('/usr/bin/python3', ['-B', '-c', lines], { input: data,
        env: { ...process.env, COF_CPU: 'c', PYTHONPATH: join(root, 'python') } });
    return new Float32Array(found.buffer.slice(found.byteOffset, found.byteOffset + found.length));
}

/** Options as words of the command line. */
export const words = (options) => Object.entries(options)
    .flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value]);

export function readPnm(file) {
    const bytes = readFileSync(file);
    const head = /^P[56]\s+(?:#.*\n)?(\d+)\s+(\d+)\s+255\s/.exec(bytes.latin1Slice(0, 200));
    const [width, height] = [Number(head[1]), Number(head[2])];
    return { width, height, data: new Uint8Array(bytes.subarray(head[0].length)) };
}

/** Writes grey or RGB; returns the path. */
export function writePnm(name, { width, height, data }) {
    const kind = data.length === width * height ? 'P5' : 'P6';
    writeFileSync(path(name), Buffer.concat([Buffer.from(`${kind}\n${width} ${height}\n255\n`),
        Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
    return path(name);
}

/** RGB with alpha, as a function of the index of the pixel. */
export function toRgba({ width, height, data }, alpha = () => 255) {
    const rgba = new Uint8ClampedArray(4 * width * height);
    for (let i = 0; i < width * height; i++) {
        rgba.set(data.subarray(3 * i, 3 * i + 3), 4 * i);
        rgba[4 * i + 3] = alpha(i);
    }
    return { width, height, data: rgba };
}

export function fromRgba({ width, height, data }) {
    return { width, height, data: data.filter((_, i) => i % 4 !== 3) };
}

export const cat = readPnm(dataPath('cat.ppm'));

/** The cat, repeated and mirrored to any size. */
export function large(width, height) {
    const data = new Uint8Array(3 * width * height);
    const fold = (i, side) => (Math.floor(i / side) % 2 ? side - 1 - (i % side) : i % side);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const at = 3 * (fold(y, cat.height) * cat.width + fold(x, cat.width));
            data.set(cat.data.subarray(at, at + 3), 3 * (y * width + x));
        }
    }
    return { width, height, data };
}

/** How many samples differ, and the largest difference. */
export function difference(a, b) {
    let count = Math.abs(a.length - b.length);
    let largest = 0;
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
        count += Number(a[i] !== b[i]);
        largest = Math.max(largest, Math.abs(a[i] - b[i]));
    }
    return { count, largest };
}
