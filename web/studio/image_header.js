// SPDX-License-Identifier: BSD-2-Clause
// What the header of an image file says, where the browser's decoder does not tell: whether it is
// grey, and how many bits its samples have.

function ascii(bytes, at, length) {
    return String.fromCharCode(...bytes.subarray(at, at + length));
}

function pngHeader(bytes) {
    const type = bytes[25];
    return { format: 'PNG', grey: type === 0 || type === 4, bits: bytes[24],
        interlaced: bytes[28] === 1 };
}

/* Walks over the segments of a JPEG file up to the one with its size. */
function jpegHeader(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 2;
    while (at + 9 < bytes.length) {
        if (bytes[at] !== 0xff)
            break;
        const marker = bytes[at + 1];
        if (marker === 0xff) {
            at++;
            continue;
        }
        const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (isFrame)
            return { format: 'JPEG', grey: bytes[at + 9] === 1, bits: bytes[at + 4] };
        at += 2 + view.getUint16(at + 2);
    }
    return { format: 'JPEG', grey: false, bits: 8 };
}

/** {format, grey, bits}; format is null if the bytes are none of the formats known here. */
export function imageHeader(bytes) {
    if (bytes.length > 28 && ascii(bytes, 1, 3) === 'PNG' && bytes[0] === 0x89)
        return pngHeader(bytes);
    if (bytes.length > 4 && bytes[0] === 0xff && bytes[1] === 0xd8)
        return jpegHeader(bytes);
    if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP')
        return { format: 'WebP', grey: false, bits: 8 };
    return { format: null, grey: false, bits: 8 };
}

/** Whether a file ends where its format says it should. Browsers show the part that is there. */
export function isComplete(format, tail) {
    if (format === 'PNG')
        return ascii(tail, Math.max(0, tail.length - 8), 4) === 'IEND' || hasText(tail, 'IEND');
    if (format === 'JPEG')
        return hasBytes(tail, 0xff, 0xd9);
    return true;
}

function hasText(bytes, text) {
    return new TextDecoder('latin1').decode(bytes).includes(text);
}

function hasBytes(bytes, first, second) {
    for (let i = bytes.length - 2; i >= 0; i--)
        if (bytes[i] === first && bytes[i + 1] === second)
            return true;
    return false;
}
