// SPDX-License-Identifier: BSD-2-Clause
// Writes PNG files. A canvas would round the colours of transparent pixels.
import { crc32 } from './crc32.js';

const SIGNATURE = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
const COLOUR_TYPES = { 1: 0, 2: 4, 3: 2, 4: 6 };
const CHUNK_ROWS_BYTES = 1 << 20;

function chunk(name, data) {
    const bytes = new Uint8Array(data.length + 12);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, data.length);
    for (let i = 0; i < 4; i++)
        bytes[4 + i] = name.charCodeAt(i);
    bytes.set(data, 8);
    view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
    return bytes;
}

function header(image) {
    const data = new Uint8Array(13);
    const view = new DataView(data.buffer);
    view.setUint32(0, image.width);
    view.setUint32(4, image.height);
    data[8] = 8;
    data[9] = COLOUR_TYPES[image.channels];
    return chunk('IHDR', data);
}

function paeth(left, up, corner) {
    const a = Math.abs(up - corner), b = Math.abs(left - corner);
    const c = Math.abs(left + up - 2 * corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

const FILTERS = [
    (x) => x,
    (x, left) => x - left,
    (x, left, up) => x - up,
    null, // the average filter hardly ever wins on photographs
    (x, left, up, corner) => x - paeth(left, up, corner),
];

/* Writes one filtered row to `out` and returns how large its values are, as signed bytes. */
function filterRow(type, row, above, channels, out, at) {
    const filter = FILTERS[type];
    let sum = 0;
    out[at] = type;
    for (let i = 0; i < row.length; i++) {
        const left = i < channels ? 0 : row[i - channels];
        const corner = i < channels ? 0 : above[i - channels];
        const value = filter(row[i], left, above[i], corner) & 255;
        out[at + 1 + i] = value;
        sum += value < 128 ? value : 256 - value;
    }
    return sum;
}

/* Filters a row each way and keeps the one with the smallest values. */
function putRow(row, above, channels, out, at, scratch) {
    let best = Infinity;
    for (const type of [1, 2, 4]) {
        const sum = filterRow(type, row, above, channels, scratch, 0);
        if (sum < best) {
            best = sum;
            out.set(scratch, at);
        }
    }
}

function* filteredRows({ data, width, height, channels }) {
    const stride = width * channels;
    const rows = Math.max(1, Math.floor(CHUNK_ROWS_BYTES / (stride + 1)));
    const scratch = new Uint8Array(stride + 1);
    let above = new Uint8Array(stride);
    for (let first = 0; first < height; first += rows) {
        const n = Math.min(rows, height - first);
        const out = new Uint8Array(n * (stride + 1));
        for (let y = 0; y < n; y++) {
            const row = data.subarray((first + y) * stride, (first + y + 1) * stride);
            putRow(row, above, channels, out, y * (stride + 1), scratch);
            above = row;
        }
        yield out;
    }
}

async function compressed(pieces) {
    const stream = new CompressionStream('deflate');
    const writer = stream.writable.getWriter();
    const writing = (async () => {
        for (const piece of pieces)
            await writer.write(piece);
        await writer.close();
    })();
    const bytes = new Uint8Array(await new Response(stream.readable).arrayBuffer());
    await writing;
    return bytes;
}

/** A PNG file of 8-bit samples: {data, width, height, channels}, 1 to 4 channels. */
export async function encodePng(image) {
    const data = await compressed(filteredRows(image));
    return new Blob([SIGNATURE, header(image), chunk('IDAT', data),
        chunk('IEND', new Uint8Array(0))], { type: 'image/png' });
}
