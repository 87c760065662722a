// SPDX-License-Identifier: BSD-2-Clause
// Drafts: a smaller copy of the preview is computed first if the preview would take long.
import { scaledImage } from './pixels.js';

const PREVIEW_MS = 350; // a preview that takes longer is preceded by a draft
const DRAFT_MS = 220;
const FIRST_PIXELS = 120e3;
const MIN_PIXELS = 40e3;

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
        Object.assign(this, { preview, previewMs: new Map(), draftSpeeds: new Map(), image: null });
    }

    get pixels() {
        return this.preview.width * this.preview.height;
    }

    notePreview(kind, milliseconds) {
        this.previewMs.set(kind, milliseconds);
    }

    noteDraft(kind, milliseconds) {
        this.draftSpeeds.set(kind, milliseconds / (this.image.width * this.image.height));
    }

    isNeeded(kind) {
        return (this.previewMs.get(kind) ?? Infinity) > PREVIEW_MS &&
            this.pixels > 1.5 * FIRST_PIXELS;
    }

    /** A copy that is small enough, or null if the preview itself is. */
    async imageFor(kind) {
        if (!this.isNeeded(kind))
            return null;
        const fast = DRAFT_MS / (this.draftSpeeds.get(kind) ?? DRAFT_MS / FIRST_PIXELS);
        const pixels = Math.min(this.pixels / 2, Math.max(MIN_PIXELS, fast));
        const scale = Math.sqrt(pixels / this.pixels), { width, height } = this.preview;
        const [w, h] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
        if (!this.image || Math.abs(this.image.width / w - 1) > 0.15)
            this.image = await scaledImage(this.preview, w, h);
        return this.image;
    }
}

/** A selection for a smaller copy: its mask is that of the preview, scaled. */
export function scaledSelection(live, image) {
    return { mask: async (settings, run) => scaledMask(await live.mask(settings, run), image) };
}
