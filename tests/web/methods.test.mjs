// SPDX-License-Identifier: BSD-2-Clause
// The methods besides smoothing: options, inspection, the selector, lines, errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { cat, cof, Cof, CofError, dataPath, folder, large, Model, packageFolder, path, readPnm,
    writePnm } from './helpers.mjs';

let pool;
before(async () => { pool = await Cof.create({ workers: 2 }); });
after(() => pool.terminate());

test('the option table is that of the library', () => {
    const help = cof('filter', '--help').toString();
    const names = pool.optionTable.map((info) => info.name);
    for (const name of ['preset', 'window', 'filter_downscale', 'softness', 'threads']) {
        assert.ok(names.includes(name));
    }
    for (const { name, group, help: text } of pool.optionTable) {
        if (['learn', 'model', 'filter'].includes(group) && !['low', 'high'].includes(name)) {
            assert.ok(help.includes(`--${name.replaceAll('_', '-')}`), name);
        }
        assert.ok(text.length > 10);
    }
    const window = pool.optionTable.find((info) => info.name === 'window');
    assert.deepEqual([window.type, window.min, window.max, window.default, window.odd],
        ['integer', 1, 63, 15, true]);
    const types = readFileSync(`${packageFolder}/options.d.ts`, 'utf8');
    assert.ok(names.every((name) => types.includes(`    ${name}?: `)));
});

test('presets are resolved for a size', () => {
    const small = pool.resolvePreset('texture', 400, 400);
    const big = pool.resolvePreset('texture', 6000, 4000);
    assert.deepEqual([small.iterations, small.downscale, big.downscale], [4, 1, 12]);
    assert.deepEqual(pool.resolvePreset('texture', 3000, 2000, 2), big);
    assert.deepEqual(pool.resolveOptions({ preset: 'texture', size: 2 }, 3000, 2000),
        pool.resolveOptions({ preset: 'texture' }, 6000, 4000));
    assert.throws(() => pool.resolveOptions({ size: 2 }, 300, 200), { option: 'size' });
    assert.throws(() => pool.resolveOptions({ preset: 'texture', size: 5 }, 300, 200),
        { option: 'size' });
    const all = pool.resolveOptions({ preset: 'flat', window: 9, levels: undefined, colors: 7 },
        400, 400);
    assert.deepEqual([all.window, all.colours, all.method], [9, 7, 'fast']);
    assert.equal(pool.resolveOptions({ seed: 2n ** 63n + 1n }, 1, 1).seed, 2n ** 63n + 1n);
});

test('inspect tells what was learned', async () => {
    const options = { window: 9, colours: 12, iterations: 4 };
    const seen = await pool.inspect(cat, options);
    const { model } = seen;
    const pixels = cat.width * cat.height;
    assert.equal(model.size, 12);
    assert.equal(seen.histogram.reduce((a, b) => a + b), pixels);
    const counted = new Float64Array(12);
    seen.labels.data.forEach((label) => { counted[label]++; });
    assert.deepEqual(counted, seen.histogram);
    assert.ok(Math.abs(model.frequencies.reduce((a, b) => a + b) - 1) < 1e-9);
    assert.ok(seen.counts.every((n, i) => n === seen.counts[(i % 12) * 12 + Math.floor(i / 12)]));
    assert.equal(seen.report.change.length, 4);
    assert.ok(seen.report.change[0] > seen.report.change[3] && seen.report.change[3] > 0);
    assert.deepEqual(seen.result.data, (await pool.smooth(cat, options)).data);
    assert.deepEqual(seen.labels.data, (await pool.label(model, cat)).data);
    cof('--report', path('report.json'), '--window', 9, '--colours', 12, '--iterations', 4,
        dataPath('cat.ppm'), path('out.ppm'));
    const { run } = JSON.parse(readFileSync(path('report.json')));
    run.change.forEach((change, i) =>
        assert.ok(Math.abs(change / seen.report.change[i] - 1) < 1e-3));
});

test('the weights of a pixel are those with which the filter averages it', async () => {
    const seen = await pool.inspect(cat, { window: 9, colours: 12, space: 'native' });
    const one = await pool.smooth(cat, { window: 9, colours: 12, space: 'native' });
    for (const [px, py] of [[100, 70], [0, 0], [225, 149], [3, 80]]) {
        const { x, y, width, height, data } = seen.weights(px, py);
        let sum = 0;
        let green = 0;
        for (let i = 0; i < width * height; i++) {
            const at = (y + Math.floor(i / width)) * cat.width + x + (i % width);
            sum += data[i];
            green += data[i] * cat.data[3 * at + 1];
        }
        assert.ok(Math.abs(sum - 1) < 1e-5);
        assert.ok(Math.abs(green - one.data[3 * (py * cat.width + px) + 1]) <= 0.51);
    }
    assert.throws(() => seen.weights(226, 0), CofError);
    const wide = await pool.inspect(large(900, 900), { preset: 'texture', iterations: 1 });
    const { downscale, window } = wide.options;
    assert.equal(downscale, 2);
    assert.equal(wide.weights(450, 320).width, 2 * Math.floor(window / 2) * downscale + 1);
});

test('a selector makes the masks of select()', async () => {
    const selector = await pool.selector(cat);
    const first = { points: [[60, 60], [90, 90]], radius: 5 };
    const second = { points: [[5, 5], [5, 100]], radius: 3 };
    await assert.rejects(selector.mask(), { status: 'empty' });
    await selector.addStroke(first);
    await selector.addStroke(second, 'background');
    const both = await selector.mask();
    assert.deepEqual(both.data,
        (await pool.select(cat, { foreground: first, background: [second] })).data);
    await selector.erase({ ...second, radius: 9 });
    assert.deepEqual((await selector.mask()).data,
        (await pool.select(cat, { foreground: first })).data);
    await selector.clear();
    await assert.rejects(selector.mask(), { status: 'empty' });
    const marks = { ...cat, data: new Uint8Array(cat.width * cat.height) };
    marks.data[70 * cat.width + 70] = 1;
    await selector.addPixels(marks);
    assert.deepEqual((await selector.mask({ min_area: 0.01 })).data,
        (await pool.select(cat, { foreground: marks }, { min_area: 0.01 })).data);
    await assert.rejects(selector.addStroke(first, 'other'), { argument: 'mark' });
    selector.close();
    await assert.rejects(selector.mask(), { status: 'argument' });
});

test('a selector corrects masks near new strokes', async () => {
    const selector = await pool.selector(cat);
    const draw = async () => {
        await selector.addStroke({ points: [[60, 60], [90, 90]], radius: 5 });
        await selector.addStroke({ points: [[5, 5], [5, 100]], radius: 3 }, 'background');
    };
    const dab = { points: [[20, 100]], radius: 1 }, other = { points: [[80, 60]], radius: 1 };
    await draw();
    const first = await selector.corrected(); // there is none to correct
    assert.deepEqual(first.data, (await selector.mask()).data);
    await selector.addStroke(dab);
    const second = await selector.corrected();
    await selector.addStroke(other, 'background');
    const third = await selector.corrected();
    const changed = [...first.data.keys()].filter((i) => first.data[i] !== second.data[i]);
    assert.ok(changed.length > 0);
    for (const i of changed) {
        assert.ok(Math.hypot(i % cat.width - 20, Math.floor(i / cat.width) - 100) < 40);
    }
    await selector.clear();
    await draw();
    await selector.mask();
    await selector.addStroke(dab);
    assert.equal(await selector.correct(), undefined);
    await selector.addStroke(other, 'background');
    assert.deepEqual((await selector.corrected()).data, third.data);
    await selector.clear();
    await selector.setMask(first);
    await selector.addStroke(dab);
    const alone = await selector.corrected();
    cof('select', dataPath('cat.ppm'), '--correct', writePnm('first.pgm', first), '--stroke',
        '20,100:1', '-o', path('alone.pgm'));
    assert.deepEqual(alone.data, readPnm(path('alone.pgm')).data);
    await assert.rejects(selector.setMask(large), { argument: 'mask' });
    const controller = new AbortController();
    const cancelled = selector.mask({}, { signal: controller.signal });
    controller.abort();
    await assert.rejects(cancelled, { name: 'AbortError' });
    await assert.rejects(selector.addStroke(dab), { message: 'the selector is closed' });
});

test('models of other kinds and damaged ones are refused', async () => {
    const model = await pool.learn(cat, { window: 5 });
    const copy = Model.from(model.bytes.buffer);
    assert.deepEqual([copy.size, copy.kind, copy.options.window], [32, 'rgb', 5]);
    assert.throws(() => Model.from(new Uint8Array(10)), { status: 'format' });
    assert.throws(() => Model.from('model.cof'), { status: 'argument', argument: 'bytes' });
    for (let i = 0; i < model.bytes.length; i += 97) {
        const damaged = model.bytes.slice();
        damaged[i] ^= 255;
        assert.throws(() => Model.from(damaged), CofError);
        assert.throws(() => Model.from(model.bytes.subarray(0, i)), { status: 'format' });
    }
    cof('learn', '--stats', dataPath('cat.ppm'), '-o', path('stats.cof'));
    assert.equal(Model.from(readFileSync(path('stats.cof'))).size, 32);
    const grey = { ...cat, data: cat.data.subarray(0, cat.width * cat.height) };
    await assert.rejects(pool.apply(model, grey), { status: 'mismatch' });
    await assert.rejects(pool.apply({}, cat), { status: 'argument', argument: 'model' });
});

test('a guide decides which pixels are averaged', async () => {
    const flat = { ...cat, data: new Uint8Array(cat.data.length).fill(90) };
    flat.data.fill(10, 0, flat.data.length / 2);
    const model = await pool.learn(flat, { window: 9 });
    const { data } = await pool.apply(model, cat, { guide: flat });
    const alone = await pool.apply(model, cat);
    assert.notDeepEqual(data, alone.data);
    await assert.rejects(pool.apply(model, cat, { guide: large(5, 5) }), { argument: 'guide' });
});

test('wrong options and arguments get one line', async () => {
    const fails = async (promise, expected) => {
        const error = await promise.then(() => assert.fail('no error'), (found) => found);
        assert.ok(error instanceof CofError, String(error));
        assert.ok(error.message.length > 5 && !error.message.includes('\n'));
        for (const [name, value] of Object.entries(expected)) {
            assert.equal(error[name], value, error.message);
        }
    };
    await fails(pool.smooth(cat, { window: 8 }), { status: 'option', option: 'window',
        message: 'window must be an odd number from 1 to 63' });
    await fails(pool.smooth(cat, { windows: 9 }), { status: 'option', option: 'windows' });
    await fails(pool.smooth(cat, { window: 'x' }), { status: 'option', option: 'window' });
    await fails(pool.smooth(cat, { window: NaN }), { status: 'option', option: 'window' });
    await fails(pool.smooth(cat, { window: {} }), { status: 'option', option: 'window' });
    await fails(pool.smooth(cat, { preset: 'best' }), { status: 'option', option: 'preset' });
    await fails(pool.smooth(cat, { update: 'model', downscale: 2 }), { status: 'option' });
    await fails(pool.smooth(null), { status: 'argument', argument: 'image' });
    await fails(pool.smooth({ ...cat, data: [1, 2, 3] }), { argument: 'image' });
    await fails(pool.smooth({ ...cat, width: 0 }), { argument: 'image' });
    await fails(pool.smooth({ ...cat, width: cat.width - 1 }), { argument: 'image' });
    await fails(pool.smooth(cat, { mask: { width: 1, height: 1, data: new Uint8Array(1) } }),
        { status: 'mismatch', argument: 'mask' });
    await fails(pool.smooth(cat, { region: { x: 900, y: 0, width: 5, height: 5 } }),
        { status: 'mismatch' });
    await fails(pool.smooth(cat, { region: [1, 2, 3, 4] }), { argument: 'region' });
    const empty = { ...cat, data: new Uint8Array(cat.width * cat.height) };
    await fails(pool.smooth(cat, { mask: empty }), { status: 'empty' });
    await fails(pool.focus(cat, empty), { status: 'empty' });
    await fails(pool.focus(cat, empty, {}, { background: 'pink' }), { argument: 'background' });
    await fails(pool.select(cat, {}), { argument: 'foreground' });
    await fails(pool.select(cat, { foreground: { points: [] } }), { argument: 'points' });
    await fails(pool.select(cat, { foreground: { points: [[9000, 9000]] } }), { status: 'empty' });
    await fails(pool.recolour(cat, empty, 'mauve'), { argument: 'colour' });
    await fails(Cof.create({ workers: 0 }), { argument: 'workers' });
    await fails(Cof.create({ wasm: { simd: new Uint8Array(9) } }), { status: 'unsupported' });
    await fails(Cof.create({ wasm: '/nowhere' }), { status: 'unsupported' });
});

test('lines for the shell compute the same', async () => {
    writeFileSync(path("the cat's.ppm"), readFileSync(dataPath('cat.ppm')));
    const strokes = { foreground: [{ points: [[60, 60], [90, 90]], radius: 5 }] };
    const files = { input: path("the cat's.ppm"), output: path('line out.ppm'), width: cat.width,
                    height: cat.height };
    const run = (options, settings) => {
        const line = pool.commandLine(options, { ...files, ...settings });
        const command = line.replace(/^cof/, `'${process.env.COF ?? 'build/cli/cof'}'`);
        execFileSync('sh', ['-c', command], { env: { ...process.env, COF_CPU: 'c' }, stdio: 'pipe' });
        return readPnm(settings?.output ?? files.output).data;
    };
    const near = (a, b) => a.every((value, i) => Math.abs(value - b[i]) <= 1);
    const options = { preset: 'texture', iterations: 3, window: 9 };
    assert.ok(near(run(options), (await pool.smooth(cat, options)).data));
    const mask = await pool.select(cat, strokes);
    assert.deepEqual(run({}, { command: 'select', ...strokes, output: path('m.pgm') }), mask.data);
    const effect = { tint: [1, 0.5, 0] };
    assert.ok(near(run({ gap: 2 }, { command: 'focus', ...strokes, effect }),
        (await pool.focus(cat, mask, { gap: 2 }, { background: effect })).data));
    assert.ok(near(run({}, { command: 'recolour', ...strokes, colour: '#f80' }),
        (await pool.recolour(cat, mask, '#f80')).data));
});

test('lines have only what differs', () => {
    const size = { width: 400, height: 400, input: 'a.jpg', output: 'b.png' };
    assert.equal(pool.commandLine({ window: 15, iterations: 2, strength: 1 }, size),
        'cof --iterations 2 a.jpg b.png');
    const preset = pool.resolvePreset('texture', 400, 400);
    assert.equal(pool.commandLine({ preset: 'texture', ...preset, colours: 50 }, size),
        'cof --preset texture --colours 50 a.jpg b.png');
    const fine = pool.resolvePreset('texture', 400, 400, 0.5);
    assert.equal(pool.commandLine({ preset: 'texture', size: 0.5, ...fine, colours: 50 }, size),
        'cof --preset texture --size 0.5 --colours 50 a.jpg b.png');
    assert.equal(pool.pythonLine({ window: 9, method: 'fast' }, size), [
        'import cof, skimage.io',
        'image = skimage.io.imread("a.jpg")',
        'result = cof.smooth(image, window=9, method="fast")',
        'skimage.io.imsave("b.png", result)'].join('\n'));
    assert.throws(() => pool.commandLine({ window: 4 }), { option: 'window' });
    assert.throws(() => pool.commandLine({}, { command: 'rm' }), { argument: 'command' });
});

test('worker and module can be inlined', async () => {
    const inlined = await Cof.create({ workers: 1, simd: false,
        wasm: { plain: readFileSync(`${packageFolder}/cof-plain.wasm`) },
        worker: { source: readFileSync(`${packageFolder}/worker.js`, 'utf8') } });
    assert.equal(inlined.simd, false);
    assert.equal((await inlined.smooth(cat)).data.length, cat.data.length);
    inlined.terminate();
    assert.ok(folder);
});
