// SPDX-License-Identifier: BSD-2-Clause
// The package computes what the native library does: without SIMD to the byte; with SIMD, palette,
// labels and counts to the byte, and pixels up to a rounding in few samples.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Instance } from '../../web/core/instance.js';
import { statsContents } from '../../web/core/worker_stats.js';
import { cat, cof, Cof, dataPath, difference, fromRgba, large, Model, packageFolder, path, readPnm,
         toRgba, words, writePnm } from './helpers.mjs';

const SAMPLES_PER_DIFFERENCE = 5000; // as in tests/kernels/compare_levels.c

const input = dataPath('cat.ppm');
const big = large(900, 640); // presets downscale it
const bigInput = writePnm('big.ppm', big);
const strokes = { foreground: [{ points: [[60, 60], [90, 90]], radius: 5 }],
                  background: [{ points: [[5, 5], [5, 100]], radius: 3 }] };
const strokeWords = ['--stroke', '60,60 90,90:5', '--background-stroke', '5,5 5,100:3'];

const CASES = [
    {}, { window: 9, iterations: 3 }, { method: 'fast', window: 25 },
    { iterations: 3, fidelity: 1, colours: 64 }, { palettes: 3, iterations: 2 },
    { window: 9, downscale: 3, iterations: 3 }, { window: 9, downscale: 3, filter_downscale: 1 },
    { window: 9, downscale: 2, fidelity: 1, refine: 4 }, { window: 9, iterations: 2, refine: 3 },
    { window: 9, filter_downscale: 2, iterations: 3 }, { update: 'labels', iterations: 2 },
    { update: 'model', iterations: 2 }, { tolerance: 1, iterations: 6 },
    { variant: 'authors', border: 'mirror' }, { strength: 0.5, detail: 0.3, space: 'native' },
    { preset: 'subtle' }, { preset: 'texture', fidelity: 1 }, { seed: 7, sampling: 'all' },
];
const BIG_CASES = [{ preset: 'subtle' }, { preset: 'texture' }, { preset: 'cartoon' },
    { preset: 'flat', strength: 0.7 }, { preset: 'video', iterations: 1 }, { preset: 'portrait' },
    { preset: 'drawing', size: 0.5 }];

for (const simd of [true, false]) {
    describe(simd ? 'with SIMD' : 'without SIMD', () => {
        let pool;
        before(async () => { pool = await Cof.create({ workers: 2, simd }); });
        after(() => pool.terminate());

        const isSame = (data, file) => {
            const expected = readPnm(file).data;
            const { count, largest } = difference(data, expected);
            assert.ok(largest <= (simd ? 1 : 0), `the largest difference is ${largest}`);
            assert.ok(count <= expected.length / SAMPLES_PER_DIFFERENCE, `${count} differ`);
        };

        test('smooth', async () => {
            for (const options of simd ? CASES : CASES.slice(0, 6)) {
                cof(...words(options), input, path('out.ppm'));
                isSame((await pool.smooth(cat, options)).data, path('out.ppm'));
            }
        });

        test('presets of a large image', async () => {
            for (const options of simd ? BIG_CASES : BIG_CASES.slice(0, 2)) {
                cof(...words(options), bigInput, path('out.ppm'));
                isSame((await pool.smooth(big, options)).data, path('out.ppm'));
            }
        });

        test('an opaque image is like one without alpha', async () => {
            cof(input, path('out.ppm'));
            const { data } = await pool.smooth(toRgba(cat));
            isSame(fromRgba({ ...cat, data }).data, path('out.ppm'));
            assert.ok(data instanceof Uint8ClampedArray);
            assert.ok(data.every((value, i) => i % 4 !== 3 || value === 255));
        });

        test('grey images', async () => {
            const grey = { ...cat, data: cat.data.filter((_, i) => i % 3 === 1) };
            cof('--window', 7, writePnm('grey.pgm', grey), path('out.pgm'));
            isSame((await pool.smooth(grey, { window: 7 })).data, path('out.pgm'));
        });

        test('models', async () => {
            for (const options of [{ window: 9 }, { preset: 'texture' }, { colours: 80, seed: 3 }]) {
                cof('learn', ...words(options), input, '-o', path('native.cof'));
                const model = await pool.learn(cat, options);
                const native = Model.from(readFileSync(path('native.cof')));
                assert.deepEqual(model.palette, native.palette);
                assert.deepEqual(model.options, native.options);
                // exp() of another C library may round differently.
                for (const name of ['matrix', 'frequencies']) {
                    assert.ok(model[name].every((value, i) =>
                        Math.abs(value - native[name][i]) <= 1e-12 * native[name][i]));
                }
                writeFileSync(path('web.cof'), model.bytes);
                cof('apply', path('web.cof'), input, path('out.ppm'));
                isSame((await pool.apply(native, cat)).data, path('out.ppm'));
            }
        });

        test('labels and counts', async () => {
            const module = await WebAssembly.compile(readFileSync(join(packageFolder,
                simd ? 'cof.wasm' : 'cof-plain.wasm')));
            const instance = await Instance.create(module);
            for (const options of [{ window: 9 }, { window: 15, colours: 200, sampling: 'all' }]) {
                const seen = await pool.inspect(cat, options);
                cof('learn', '--stats', ...words(options), input, '-o', path('native.cof'));
                const native = instance.scope((scope) => statsContents(instance,
                    scope.stats(readFileSync(path('native.cof')))));
                assert.deepEqual(seen.histogram, native.histogram);
                assert.deepEqual(seen.counts, native.counts);
            }
        });

        test('selection, focus and recolour', async () => {
            const mask = await pool.select(cat, strokes);
            cof('select', ...strokeWords, input, '-o', path('mask.pgm'));
            assert.deepEqual(mask.data, readPnm(path('mask.pgm')).data);
            for (const [options, background] of [[{}, 'smooth'], [{ preset: 'texture' }, 'smooth'],
                [{ window: 7, iterations: 2 }, 'smooth'], [{ method: 'fast' }, 'smooth'],
                [{}, 'grey'], [{ gap: 1 }, { tint: '#4682b4' }]]) {
                const effect = background.tint ? `tint=${background.tint}` : background;
                cof('focus', ...words(options), '--mask', path('mask.pgm'), '--background', effect,
                    input, path('out.ppm'));
                isSame((await pool.focus(cat, mask, options, { background })).data, path('out.ppm'));
            }
            cof('recolour', '--mask', path('mask.pgm'), '--colour', '#48b', input, path('out.ppm'));
            isSame((await pool.recolour(cat, mask, '#48b')).data, path('out.ppm'));
        });

        test('learning in a region, in a mask, and from another image', async () => {
            const mask = { ...cat, data: Uint8Array.from({ length: cat.width * cat.height },
                (_, i) => Number(i % cat.width > 90)) };
            writePnm('half.pgm', mask);
            const other = large(300, 200);
            const cases = [
                [{ region: { x: 20, y: 30, width: 80, height: 60 } }, ['--region', '20,30,80,60']],
                [{ mask }, ['--mask', path('half.pgm')]],
                [{ roi: mask, downscale: 2 }, ['--mask', path('half.pgm'), '--downscale', 2]],
                [{ from: other }, ['--learn-from', writePnm('other.ppm', other)]],
            ];
            for (const [options, more] of cases) {
                cof(...more, input, path('out.ppm'));
                isSame((await pool.smooth(cat, options)).data, path('out.ppm'));
            }
        });

        test('a cut-out', async () => {
            const mask = await pool.select(cat, strokes);
            writePnm('cut.pgm', mask);
            cof('focus', '--mask', path('cut.pgm'), '--background', 'transparent', input,
                path('out.png'));
            cof('focus', '--mask', path('cut.pgm'), '--background', 'grey', '--matte',
                path('matte.pgm'), input, path('unused.ppm'));
            const { data } = await pool.focus(cat, mask, {}, { background: 'transparent' });
            const alpha = data.filter((_, i) => i % 4 === 3);
            const { largest } = difference(alpha, readPnm(path('matte.pgm')).data);
            assert.ok(largest <= (simd ? 1 : 0));
            assert.deepEqual(fromRgba({ ...cat, data }).data, cat.data);
        });
    });
}
