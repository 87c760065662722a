// SPDX-License-Identifier: BSD-2-Clause
// Selections of the studio: a mask depends on the strokes and their order only, not on undo, on what
// was cancelled, or on when masks were made.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { LiveSelection } from '../../web/studio/compute.js';
import { selectingCount, initialSettings } from '../../web/studio/settings.js';
import { cat, Cof } from './helpers.mjs';

let pool;
before(async () => { pool = await Cof.create({ workers: 1 }); });
after(() => pool.terminate());

const stroke = (mark, radius, ...points) => ({ mark, radius, points });
const BODY = stroke('keep', 5, [60, 60], [90, 90]), LEFT = stroke('smooth', 3, [5, 5], [5, 100]);
const RIGHT = stroke('smooth', 3, [140, 10], [140, 100]);
const DAB = stroke('keep', 1, [60, 140]), HOLE = stroke('smooth', 2, [80, 60], [84, 60]);
const ALL = [BODY, LEFT, RIGHT, DAB, HOLE];

const settingsOf = (strokes, options = {}) => ({ ...initialSettings(), strokes, options });

async function withLive(work, image = cat, full = image) {
    const live = new LiveSelection(pool, image, full);
    try {
        return await work((strokes, options, run) => live.mask(settingsOf(strokes, options), run));
    } finally {
        live.close();
    }
}

/** The mask of somebody who has not seen any before. */
const replayed = (strokes, options) => withLive(async (mask) => (await mask(strokes, options)).data);

test('three strokes of both kinds select together', () => {
    const counts = ['kkss', 'ksks', 'kkkksk', 'skes', 'ksees', 'k', ''].map((marks) =>
        selectingCount([...marks].map((letter) =>
            ({ mark: { k: 'keep', s: 'smooth', e: 'erase' }[letter] }))));
    assert.deepEqual(counts, [3, 3, 5, 4, 5, 1, 0]);
});

test('later strokes change the mask near themselves', () => withLive(async (mask) => {
    const first = await mask(ALL.slice(0, 3)), second = await mask(ALL.slice(0, 4));
    const together = await pool.select(cat, { foreground: [BODY, DAB], background: [LEFT, RIGHT] });
    const changes = (one) => [...one.data.keys()].filter((i) => one.data[i] !== first.data[i]);
    const isNear = (i) => Math.hypot(i % cat.width - 60, Math.floor(i / cat.width) - 140) < 40;
    assert.ok(changes(second).length > 0 && changes(second).every(isNear));
    assert.ok(!changes(together).every(isNear)); // which is why
}));

test('undo, redo and a fresh start give the same masks', async () => {
    const expected = [];
    for (let count = 1; count <= ALL.length; count++)
        expected.push(await replayed(ALL.slice(0, count)));
    await withLive(async (mask) => {
        for (const count of [1, 2, 3, 4, 5, 4, 5, 3, 2, 4, 1, 5])
            assert.deepEqual((await mask(ALL.slice(0, count))).data, expected[count - 1], `${count}`);
    });
});

test('options change masks from the first on', async () => {
    const want = await replayed(ALL, { min_area: 0.02 });
    await withLive(async (mask) => {
        const before = await mask(ALL);
        assert.deepEqual((await mask(ALL, { min_area: 0.02 })).data, want);
        assert.deepEqual((await mask(ALL)).data, before.data);
    });
});

test('masks that are cancelled leave nothing behind', async () => {
    const want = await replayed(ALL);
    await withLive(async (mask) => {
        for (let count = 1; count <= ALL.length; count++) {
            const controller = new AbortController();
            const cancelled = mask(ALL.slice(0, count), {}, { signal: controller.signal });
            setTimeout(() => controller.abort(), count);
            const [result] = await Promise.allSettled([cancelled]);
            assert.ok(result.status === 'fulfilled' || result.reason.name === 'AbortError');
        }
        const [one, other] = await Promise.all([mask(ALL.slice(0, 4)), mask(ALL)]); // at once
        assert.deepEqual(other.data, want);
        assert.deepEqual(one.data, await replayed(ALL.slice(0, 4)));
    });
});

test('an object that is erased can be drawn again', async () => {
    const erased = [...ALL, stroke('erase', 200, [80, 60])], again = [...erased, BODY, RIGHT];
    await withLive(async (mask) => {
        await mask(ALL);
        await assert.rejects(mask(erased), { status: 'empty' });
        const found = await mask(again);
        assert.equal(found.data[75 * cat.width + 75], 255);
        assert.deepEqual(found.data, await replayed(again));
        assert.deepEqual((await mask(ALL)).data, await replayed(ALL));
    });
});

/** The cat and its strokes, enlarged. */
function enlarged(factor) {
    const width = factor * cat.width, height = factor * cat.height;
    const data = new Uint8Array(3 * width * height);
    for (let i = 0; i < width * height; i++) {
        const x = Math.floor(i % width / factor), y = Math.floor(i / width / factor);
        for (let band = 0; band < 3; band++)
            data[3 * i + band] = cat.data[3 * (y * cat.width + x) + band];
    }
    const middle = (value) => factor * (value + 0.5) - 0.5;
    const strokes = ALL.map(({ mark, radius, points }) => stroke(mark, factor * radius,
        ...points.map((point) => point.map(middle))));
    return { image: { width, height, data }, strokes };
}

test('what is saved at full size is what the preview shows', async () => {
    const small = enlarged(2).image, { image, strokes } = enlarged(4);
    const preview = await withLive((mask) => mask(strokes), small, image);
    const full = await withLive((mask) => mask(strokes), image);
    let both = 0, either = 0;
    for (let i = 0; i < full.data.length; i++) {
        const x = i % image.width >> 1, y = Math.floor(i / image.width) >> 1;
        const one = full.data[i] > 0, other = preview.data[y * small.width + x] > 0;
        both += one && other;
        either += one || other;
    }
    assert.ok(both / either > 0.95, `IoU ${both / either}`);
});
