// SPDX-License-Identifier: BSD-2-Clause
// A program that a bundler packs together with libcof. It says what it has computed: in node on the
// terminal, in a page to the server that the page came from.
import { Cof } from 'libcof';

async function run() {
    const cof = await Cof.create({ workers: 2, ...globalThis.cofOptions });
    const [width, height] = [64, 48];
    const data = Uint8ClampedArray.from({ length: 4 * width * height },
        (_, i) => (i % 4 === 3 ? 255 : (i * 7919) % 251));
    const smooth = await cof.smooth({ data, width, height }, { preset: 'texture' });
    cof.terminate();
    return smooth.data.reduce((sum, value) => (sum * 31 + value) % 1000003, 7);
}

const answer = await run().then((sum) => `sum ${sum}`, (error) => `failed: ${error.message}`);
if (typeof document === 'object') {
    await fetch('/answer', { method: 'POST', body: answer });
} else {
    console.log(answer);
}
