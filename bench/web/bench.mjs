// SPDX-License-Identifier: BSD-2-Clause
// Measures the JavaScript package in node, and compares it with the native library in one run.
//
//     node bench.mjs PACKAGE COF TIME_SMOOTH [--runs N] [--large]
//
// The image has 1 megapixel (a photograph, repeated); the window is 15. The native library runs on
// one thread with kernels in C (COF_CPU=c), and is compared with one worker by processor time, which
// other programs disturb less. --large smooths 24 megapixels with presets, and prints the memory of
// the workers.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, command, timer, ...rest] = process.argv.slice(2);
const runs = Number(rest[rest.indexOf('--runs') + 1] || 0) || 7;
const { Cof } = await import(pathToFileURL(join(resolve(folder), 'cof.js')));
const photo = new URL('../../tests/data/photos/coffee.png', import.meta.url).pathname;
const work = mkdtempSync(join(tmpdir(), 'cof-bench-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

function readPpm(file) {
    const bytes = readFileSync(file);
    const head = /^P6\s+(?:#.*\n)?(\d+)\s+(\d+)\s+255\s/.exec(bytes.latin1Slice(0, 200));
    return { width: Number(head[1]), height: Number(head[2]),
             data: bytes.subarray(head[0].length) };
}

/** An image repeated and mirrored to a size, as RGBA. */
function enlarge(image, width, height) {
    const data = new Uint8ClampedArray(4 * width * height).fill(255);
    const fold = (i, side) => (Math.floor(i / side) % 2 ? side - 1 - (i % side) : i % side);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const from = 3 * (fold(y, image.height) * image.width + fold(x, image.width));
            for (let band = 0; band < 3; band++) {
                data[4 * (y * width + x) + band] = image.data[from + band];
            }
        }
    }
    return { width, height, data };
}

function writePpm(file, { width, height, data }) {
    writeFileSync(file, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`),
        Buffer.from(data.filter((_, i) => i % 4 !== 3))]));
}

/** Returns a function that measures the native library: milliseconds of processor time. One process
 * makes all runs: after a new one is started, each page of this one takes longer to write. */
function startNative(file, method) {
    const native = spawn(timer, [file, method, '0'],
        { env: { ...process.env, COF_CPU: 'c' }, stdio: ['pipe', 'pipe', 'inherit'] });
    const measure = () => new Promise((resolve) => {
        native.stdout.once('data', (line) => resolve(parseFloat(line)));
        native.stdin.write('\n');
    });
    return { measure, end: () => native.stdin.end() };
}

/** Milliseconds of the clock and of processor time. */
async function time(pool, image, options) {
    const start = performance.now();
    const before = process.cpuUsage();
    await pool.smooth(image, options);
    const { user, system } = process.cpuUsage(before);
    return { clock: performance.now() - start, processor: (user + system) / 1000 };
}

const least = (times, kind) => Math.min(...times.map((one) => one[kind]));
const inMs = (time) => `${time.toFixed(0)} ms`;
const show = (...columns) => console.log(columns.map((text, i) =>
    (i === 0 ? String(text).padEnd(22) : String(text).padStart(12))).join(''));

/** Each measurement in turn, so that what else the machine does concerns all of them. */
async function compare(image, file, pools) {
    show('1 MP, window 15', 'native, C', '1 worker', 'ratio', '1 worker', '2 workers', 'ratio');
    show('', 'processor', 'processor', '', 'clock', 'clock', '');
    for (const method of ['exact', 'fast']) {
        const times = [[], [], []];
        const native = startNative(file, method);
        await native.measure();
        for (const pool of pools) {
            await time(pool, image, { method }); // the engine optimises the code
        }
        for (let i = 0; i < runs; i++) {
            times[0].push(await native.measure());
            times[1].push(await time(pools[0], image, { method }));
            times[2].push(await time(pools[1], image, { method }));
        }
        native.end();
        const plain = Math.min(...times[0]);
        const processor = least(times[1], 'processor');
        const [one, two] = times.slice(1).map((list) => least(list, 'clock'));
        show(method, inMs(plain), inMs(processor), (processor / plain).toFixed(2), inMs(one),
            inMs(two), (one / two).toFixed(2));
    }
}

async function comparePresets(image, pools) {
    show('1 MP', '1 worker', '2 workers', '1 / 2');
    for (const preset of pools[0].optionTable[0].choices) {
        const times = [[], []];
        for (let i = 0; i < Math.max(3, runs / 2); i++) {
            times[0].push(await time(pools[0], image, { preset }));
            times[1].push(await time(pools[1], image, { preset }));
        }
        const [one, two] = times.map((list) => least(list, 'clock'));
        show(`preset ${preset}`, inMs(one), inMs(two), (one / two).toFixed(2));
    }
}

async function showLarge(photoImage) {
    const image = enlarge(photoImage, 6000, 4000);
    show('24 MP, 2 workers', 'seconds', 'strips', 'MB of each');
    const cases = [{ preset: 'texture' }, { preset: 'flat' }, { preset: 'cartoon' }, {},
        { method: 'fast' }];
    for (const options of cases) {
        const pool = await Cof.create({ workers: 2 });
        const { report } = await pool.smooth(image, options);
        show(options.preset ?? options.method ?? 'exact', report.seconds.toFixed(1), report.strips,
            report.memory.map((bytes) => Math.round(bytes / 1e6)).join(' '));
        pool.terminate();
    }
}

execFileSync(command, ['--strength', '0', photo, join(work, 'photo.ppm')], { stdio: 'pipe' });
const photoImage = readPpm(join(work, 'photo.ppm'));
if (rest.includes('--large')) {
    await showLarge(photoImage);
} else {
    const image = enlarge(photoImage, 1250, 800);
    writePpm(join(work, 'image.ppm'), image);
    const pools = [await Cof.create({ workers: 1 }), await Cof.create({ workers: 2 })];
    await compare(image, join(work, 'image.ppm'), pools);
    await comparePresets(image, pools);
    pools.forEach((pool) => pool.terminate());
}
