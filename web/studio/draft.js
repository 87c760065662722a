// SPDX-License-Identifier: BSD-2-Clause
// Drafts: a smaller copy of the preview is computed first if the preview would take long.
import { scaledImage } from './pixels.js';

const DRAFT_MS = 220;
const FIRST_PIXELS = 120e3;
const MIN_PIXELS = 60e3;
const MIN_GAIN = 0.6;

function scaledMask(mask, { width, height }) {
    const data = new Uint8Array(width * height);
    for (let y = 0, i = 0; y < height; y++) {
        const row = Math.floor((y + 0.5) * mask.height / height) * mask.width;
        for (let x = 0; x < width; x++, i++)
            data[i] = mask.data[row + Math.floor((x + 0.5) * mask.width / width)];
    }
    return { data, width, height };
}

/** The drafts of one image. Each kind of work has its own speed. */
export class Drafts {
    constructor(preview) {
        Object.assign(this, { preview, speeds: new Map(), image: null });
    }

    /** Notes how long it took to compute pixels. */
    learn(kind, pixels, milliseconds) {
        this.speeds.set(kind, milliseconds / pixels);
    }

    /* How many pixels can be computed in the time of a draft. */
    pixelsFor(kind) {
        const speed = this.speeds.get(kind);
        return speed ? Math.max(MIN_PIXELS, DRAFT_MS / speed) : FIRST_PIXELS;
    }

    /** A copy that is small enough, or null if the preview itself is. */
    async imageFor(kind) {
        const { width, height } = this.preview, pixels = this.pixelsFor(kind);
        const scale = Math.sqrt(pixels / (width * height));
        if (scale * scale > MIN_GAIN)
            return null;
        const [w, h] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
        if (!this.image || Math.abs(this.image.width / w - 1) > 0.1)
            this.image = await scaledImage(this.preview, w, h);
        return this.image;
    }
}

/** A selection for a smaller copy: its mask is that of the preview, scaled. */
export function scaledSelection(live, image) {
    return { mask: async (settings, run) => scaledMask(await live.mask(settings, run), image) };
}
