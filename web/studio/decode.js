// SPDX-License-Identifier: BSD-2-Clause
// Reads image files with the browser's decoder. Runs in the pixel worker.
import { channelsOf, toImageData } from './encode.js';
import { imageHeader, isComplete } from './image_header.js';

const HEADER_BYTES = 1 << 18;
const TAIL_BYTES = 1 << 12;
const TILE_SIDE = 4096;
const MAX_PIXELS = 120e6;

/** An image with at most this many pixels is computed in full at once. */
export const PREVIEW_PIXELS = 1.2e6;

async function bytesOf(blob, first, last) {
    return new Uint8Array(await blob.slice(first, last).arrayBuffer());
}

async function headerOf(blob) {
    const header = imageHeader(await bytesOf(blob, 0, HEADER_BYTES));
    const tail = await bytesOf(blob, Math.max(0, blob.size - TAIL_BYTES), blob.size);
    return { ...header, complete: isComplete(header.format, tail) };
}

async function decoded(blob, header) {
    try {
        return await createImageBitmap(blob, { imageOrientation: 'from-image' });
    } catch {
        if (blob.size === 0)
            throw new Error('the file is empty');
        if (header.format && !header.complete)
            throw new Error('the file is cut off, and cannot be read');
        throw new Error(header.format ? `this ${header.format} file is damaged`
            : 'this is not an image that the browser can read');
    }
}

function checkSize(bitmap) {
    const pixels = bitmap.width * bitmap.height;
    if (pixels > MAX_PIXELS)
        throw new Error(`the image has ${Math.round(pixels / 1e6)} megapixels; the page reads up ` +
            `to ${MAX_PIXELS / 1e6}. The cof command has no such limit`);
}

/* The RGBA samples of a bitmap, scaled to a size, read in tiles: canvases have a largest side. */
function samples(bitmap, width, height) {
    const all = new Uint8ClampedArray(width * height * 4);
    const canvas = new OffscreenCanvas(Math.min(width, TILE_SIDE), Math.min(height, TILE_SIDE));
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.imageSmoothingQuality = 'high';
    for (let y = 0; y < height; y += TILE_SIDE) {
        for (let x = 0; x < width; x += TILE_SIDE)
            copyTile(context, bitmap, all, { x, y, width, height });
    }
    return all;
}

function copyTile(context, bitmap, all, { x, y, width, height }) {
    const w = Math.min(TILE_SIDE, width - x), h = Math.min(TILE_SIDE, height - y);
    context.clearRect(0, 0, w, h);
    context.drawImage(bitmap, -x, -y, width, height);
    const tile = context.getImageData(0, 0, w, h).data;
    for (let row = 0; row < h; row++)
        all.set(tile.subarray(row * w * 4, (row + 1) * w * 4), ((y + row) * width + x) * 4);
}

function isOpaque(rgba) {
    for (let i = 3; i < rgba.length; i += 4)
        if (rgba[i] !== 255)
            return false;
    return true;
}

/* Drops alpha if all is opaque, and equal channels if the file is grey, as the command reads it. */
function withChannels(rgba, width, height, grey) {
    const kept = (grey ? [0] : [0, 1, 2]).concat(isOpaque(rgba) ? [] : [3]);
    return keepChannels(rgba, width, height, kept);
}

function keepChannels(rgba, width, height, kept) {
    const n = kept.length;
    if (n === 4)
        return { data: rgba, width, height, channels: 4 };
    const data = new Uint8ClampedArray(width * height * n);
    for (let c = 0; c < n; c++)
        for (let from = kept[c], to = c; to < data.length; from += 4, to += n)
            data[to] = rgba[from];
    return { data, width, height, channels: n };
}

function previewSize(width, height) {
    const scale = Math.min(1, Math.sqrt(PREVIEW_PIXELS / (width * height)));
    return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

/** The size of an image file, and its pixels at the size of a preview. */
export async function openImage(blob) {
    const header = await headerOf(blob);
    const bitmap = await decoded(blob, header);
    checkSize(bitmap);
    const { width, height } = bitmap;
    const [w, h] = previewSize(width, height);
    const preview = withChannels(samples(bitmap, w, h), w, h, header.grey);
    bitmap.close();
    return { width, height, preview, ...header };
}

/** All pixels of an image file. */
export async function fullImage(blob) {
    const header = await headerOf(blob);
    const bitmap = await decoded(blob, header);
    checkSize(bitmap);
    const { width, height } = bitmap;
    const rgba = samples(bitmap, width, height);
    bitmap.close();
    return withChannels(rgba, width, height, header.grey);
}

/** A smaller copy of pixels. */
export function scaledImage(image, width, height) {
    const source = new OffscreenCanvas(image.width, image.height);
    source.getContext('2d').putImageData(toImageData(image), 0, 0);
    const rgba = samples(source, width, height), n = channelsOf(image);
    return keepChannels(rgba, width, height, n < 3 ? [0, 3].slice(0, n) : [0, 1, 2, 3].slice(0, n));
}
