// SPDX-License-Identifier: BSD-2-Clause
// The strips of an image, one for each worker. A strip stays in the memory of its worker for all
// steps of a call, with its labels and converted colours.
import { growRect, splitImage } from './parts.js';
import { buffersOf } from './source.js';

let stripCount = 0;

export class Strips {
    /** The strips extend `margin` pixels beyond their part of the image. Undefined if the image is
     * so large that it is better split into more parts than there are workers. */
    static of(job, source, margin) {
        const rects = splitImage(source, job.parallel, margin);
        return rects.length <= job.parallel ? new Strips(job, source, rects, margin) : undefined;
    }

    constructor(job, source, rects, margin) {
        Object.assign(this, { job, source, rects });
        this.around = rects.map((rect) => growRect(rect, margin, source));
        this.sent = rects.map(() => false);
        this.key = ++stripCount;
    }

    /** Runs a task on each strip. `fields(rect, around)` is what it needs besides the pixels;
     * `units` are those of a pixel. `receive(answer, rect)` is called as soon as a strip is done. */
    run(name, { fields, units, stage, receive = () => {} }) {
        return Promise.all(this.rects.map(async (rect, place) => {
            const settings = { units: units * rect.width * rect.height, stage, place };
            const task = () => this.#task(name, place, fields(rect, this.around[place]), settings);
            let answer = await task();
            if (answer.missing) { // the worker has been replaced, or used by another call
                this.sent[place] = false;
                answer = await task();
            }
            receive(answer, rect);
            return answer;
        }));
    }

    /** Sends the strips again. */
    restart() {
        this.sent.fill(false);
        this.key = ++stripCount;
    }

    #task(name, place, fields, settings) {
        const strip = { key: this.key };
        if (!this.sent[place]) {
            strip.image = this.source.unknownPart(this.around[place], (size) =>
                this.job.pool.takeSpare(size));
            this.sent[place] = true;
        }
        return this.job.task(name, { strip, ...fields },
            { ...settings, transfer: buffersOf(strip.image, fields.roi?.mask) });
    }
}
