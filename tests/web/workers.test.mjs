// SPDX-License-Identifier: BSD-2-Clause
// Results do not depend on the number of workers; shapes, sample types, progress and cancelling.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { cat, Cof, large, nativeFloats, toRgba } from './helpers.mjs';

let one, two, several;
before(async () => {
    one = await Cof.create({ workers: 1 });
    two = await Cof.create({ workers: 2 });
    several = await Cof.create({ workers: 5 });
});
after(() => {
    one.terminate();
    two.terminate();
    several.terminate();
});

const half = large(500, 400);
const transparent = toRgba(cat, (i) => (i % 13) * 21 * Number(i % cat.width > 60));
const mask = { ...cat, data: Uint8Array.from({ length: cat.width * cat.height },
    (_, i) => 255 * Number(Math.hypot((i % cat.width) - 110, i / cat.width - 75) < 40)) };

async function same(method, ...values) {
    const [a, ...others] =
        await Promise.all([one, two, several].map((pool) => pool[method](...values)));
    for (const b of others) {
        assert.deepEqual(a.data ?? a.bytes, b.data ?? b.bytes);
    }
    return a;
}

test('several workers make what one does', async () => {
    for (const options of [{}, { method: 'fast', iterations: 3 }, { preset: 'texture' },
        { preset: 'flat' }, { palettes: 2, update: 'labels', iterations: 2 }]) {
        await same('smooth', half, options);
        await same('learn', half, { ...options, update: undefined });
    }
    await same('smooth', transparent, { window: 9 });
    await same('smooth', transparent, { preset: 'texture', downscale: 2 });
    for (const background of ['smooth', 'grey', 'transparent', { image: cat }]) {
        await same('focus', cat, mask, { window: 7 }, { background });
    }
    await same('focus', transparent, mask, { preset: 'flat', downscale: 3 });
    await same('recolour', cat, mask, [1, 0, 0]);
});

test('alpha remains, and transparent colours do not bleed', async () => {
    const { data } = await several.smooth(transparent, { window: 9, iterations: 2 });
    assert.ok(data.every((value, i) => i % 4 !== 3 || value === transparent.data[i]));
});

test('one pixel decides if an image is opaque', async () => {
    const { width, height } = cat;
    for (const place of [0, 5, width * height - 1]) {
        const image = toRgba(cat, (i) => (i === place ? 0 : 255));
        const { data } = await same('smooth', image);
        assert.ok(data.every((value, i) => i % 4 !== 3 || value === image.data[i]));
    }
    const offset = new Uint8ClampedArray(4 * width * height + 1).subarray(1);
    offset.set(toRgba(cat).data);
    const { data } = await same('smooth', { ...cat, data: offset });
    assert.ok(data.every((value, i) => i % 4 !== 3 || value === 255));
});

test('images of one pixel, one row and one column', async () => {
    for (const [width, height] of [[1, 1], [1, 40], [40, 1], [2, 3]]) {
        const image = large(width, height);
        for (const options of [{}, { preset: 'texture' }, { method: 'fast', iterations: 3 }]) {
            const { data } = await same('smooth', image, options);
            assert.equal(data.length, 3 * width * height);
        }
    }
});

test('an image of 30000 x 10 pixels is split along its width', async () => {
    const long = large(30000, 10);
    const { report } = await several.smooth(long);
    assert.equal(report.strips, 5);
    await same('smooth', long, { preset: 'subtle' });
});

test('16 bits and floats', async () => {
    const deep = { ...cat, data: Uint16Array.from(cat.data, (v) => v * 257) };
    const floats = { ...cat, data: Float32Array.from(cat.data, (v) => v / 255) };
    const plain = await same('smooth', cat);
    const mean = ({ data }, unit) => data.reduce((sum, value, i) =>
        sum + Math.abs(value / unit - plain.data[i]), 0) / data.length;
    assert.ok(mean(await same('smooth', deep), 257) < 0.5);
    const smooth = await same('smooth', floats);
    assert.ok(smooth.data instanceof Float32Array);
    const native = nativeFloats(floats); // floats have another palette than bytes
    assert.equal(native.length, smooth.data.length);
    const largest = smooth.data.reduce((most, value, i) =>
        Math.max(most, Math.abs(value - native[i])), 0);
    assert.ok(largest < 1e-4, `${largest}`);
});

test('the input is neither changed nor detached', async () => {
    const copy = half.data.slice();
    await several.smooth(half, { preset: 'cartoon' });
    assert.deepEqual(half.data, copy);
    const buffer = { ...half, data: Buffer.from(copy.buffer.slice(0)) };
    await same('smooth', buffer);
    assert.deepEqual(new Uint8Array(buffer.data), copy);
});

test('a call leaves the results of earlier ones as they are', async () => {
    const other = { ...half, data: half.data.map((value) => 255 - value) };
    for (const pool of [one, two, several]) {
        const { data } = await pool.smooth(half);
        const copy = data.slice();
        await pool.smooth(other);
        assert.deepEqual(data, copy);
    }
});

test('progress rises to 1, step by step', async () => {
    for (const pool of [one, several]) {
        for (const options of [{ window: 31 }, { preset: 'texture' },
            { update: 'model', iterations: 2 }, { method: 'fast', filter_downscale: 2 }]) {
            const seen = [];
            await pool.smooth(half, options, { onProgress: (done) => seen.push(done) });
            assert.ok(seen.every((done, i) => done > 0 && done <= 1 && !(done < seen[i - 1])));
            assert.ok(seen.at(-1) > 0.99, `ends at ${seen.at(-1)}`);
            const largest = Math.max(...seen.map((done, i) => done - (seen[i - 1] ?? 0)));
            assert.ok(largest < 0.3, `${JSON.stringify(options)}: ${seen}`);
        }
    }
});

// The slow call would take minutes.
test('a call is cancelled at once, and the pool goes on', { timeout: 60000 }, async () => {
    const expected = await several.smooth(cat);
    const controller = new AbortController();
    const slow = several.smooth(large(1500, 1500), { window: 63, iterations: 20 },
        { signal: controller.signal });
    await new Promise((resolve) => { setTimeout(resolve, 300); });
    controller.abort();
    await assert.rejects(slow, { name: 'AbortError' });
    assert.deepEqual((await several.smooth(cat)).data, expected.data);
    await assert.rejects(several.smooth(cat, {}, { signal: AbortSignal.abort(new Error('early')) }),
        { message: 'early' });
});

test('calls that run at the same time do not disturb each other', async () => {
    const cases = [[half, { window: 5 }], [cat, { window: 9 }], [half, { preset: 'texture' }],
        [transparent, { window: 5 }], [half, { method: 'fast' }], [cat, { palettes: 2 }]];
    const together = await Promise.all(cases.map((values) => several.smooth(...values)));
    for (const [i, values] of cases.entries()) {
        assert.deepEqual(together[i].data, (await one.smooth(...values)).data);
    }
});

// Replaced workers are connected with the others again.
test('calls go on beside others that fail or are cancelled', { timeout: 120000 }, async () => {
    const mask = { ...cat, data: new Uint8Array(cat.width * cat.height) };
    const expected = await one.smooth(cat);
    for (const pool of [two, several]) {
        for (let i = 0; i < 4; i++) {
            const signal = AbortSignal.timeout(1 + 15 * i);
            const [slow, empty, good] = await Promise.allSettled([
                pool.smooth(half, { iterations: 2 }, { signal }), pool.smooth(cat, { mask }),
                pool.smooth(cat)]);
            assert.ok(slow.status === 'fulfilled' || slow.reason.name === 'TimeoutError');
            assert.equal(empty.reason.status, 'empty');
            assert.deepEqual(good.value.data, expected.data);
        }
    }
});

test('terminate() ends what runs', async () => {
    const pool = await Cof.create({ workers: 2 });
    const slow = pool.smooth(half, { window: 63, iterations: 50 });
    pool.terminate();
    await assert.rejects(slow, { name: 'CofError', status: 'cancelled' });
    await assert.rejects(pool.smooth(cat), { status: 'cancelled' });
});
