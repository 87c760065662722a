// SPDX-License-Identifier: BSD-2-Clause
// Writes ZIP files without compression: images are compressed already.
import { crc32 } from './crc32.js';

const MAX_BYTES = 0xffffffff;
const UTF8_NAMES = 0x0800;
const DATE_1980 = 0x21;

/* Fields of a local header that the central directory repeats. */
function shared(view, at, file) {
    view.setUint16(at, 20, true); // version 2.0
    view.setUint16(at + 2, UTF8_NAMES, true);
    view.setUint16(at + 4, 0, true); // stored
    view.setUint16(at + 6, 0, true);
    view.setUint16(at + 8, DATE_1980, true);
    view.setUint32(at + 10, file.crc, true);
    view.setUint32(at + 14, file.size, true);
    view.setUint32(at + 18, file.size, true);
    view.setUint16(at + 22, file.name.length, true);
}

function localHeader(file) {
    const bytes = new Uint8Array(30 + file.name.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0x04034b50, true);
    shared(view, 4, file);
    bytes.set(file.name, 30);
    return bytes;
}

function directoryEntry(file) {
    const bytes = new Uint8Array(46 + file.name.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0x02014b50, true);
    view.setUint16(4, 20, true);
    shared(view, 6, file);
    view.setUint32(42, file.offset, true);
    bytes.set(file.name, 46);
    return bytes;
}

function endOfDirectory(count, size, offset) {
    const bytes = new Uint8Array(22);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0x06054b50, true);
    view.setUint16(8, count, true);
    view.setUint16(10, count, true);
    view.setUint32(12, size, true);
    view.setUint32(16, offset, true);
    return bytes;
}

/** Names that differ from each other: the second photo.png becomes photo-2.png. */
export function distinctNames(names) {
    const taken = new Set();
    return names.map((name) => {
        const dot = name.lastIndexOf('.');
        const [stem, suffix] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
        let result = name;
        for (let n = 2; taken.has(result); n++)
            result = `${stem}-${n}${suffix}`;
        taken.add(result);
        return result;
    });
}

/** A ZIP file of [{name, blob}]. */
export async function zip(files) {
    const names = distinctNames(files.map((file) => file.name));
    const parts = [], entries = [];
    let offset = 0;
    for (const [i, { blob }] of files.entries()) {
        const bytes = new Uint8Array(await blob.arrayBuffer());
        const file = { name: new TextEncoder().encode(names[i]), crc: crc32(bytes),
            size: bytes.length, offset };
        parts.push(localHeader(file), blob);
        entries.push(directoryEntry(file));
        offset += 30 + file.name.length + file.size;
        if (offset > MAX_BYTES || entries.length > 0xffff)
            throw new Error('A ZIP file holds at most 4 GB. Save the images one by one instead.');
    }
    const size = entries.reduce((sum, entry) => sum + entry.length, 0);
    return new Blob([...parts, ...entries, endOfDirectory(files.length, size, offset)],
        { type: 'application/zip' });
}
