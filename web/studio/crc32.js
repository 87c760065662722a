// SPDX-License-Identifier: BSD-2-Clause
// CRC-32 as PNG and ZIP use it.

const TABLE = new Uint32Array(256).map((_, n) => {
    for (let bit = 0; bit < 8; bit++)
        n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n;
});

/** The checksum of bytes, as an unsigned 32-bit number. */
export function crc32(bytes) {
    let crc = 0xffffffff;
    for (let i = 0; i < bytes.length; i++)
        crc = TABLE[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
    return (crc ^ 0xffffffff) >>> 0;
}
