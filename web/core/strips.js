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
     * `units` are those of a pixel. */
    run(name, { fields, units, stage }) {
        return Promise.all(this.rects.map(async (rect, place) => {
            const settings = { units: units * rect.width * rect.height, stage, place };
            const task = () => this.#task(name, place, fields(rect, this.around[place]), settings);
            let answer = await task();
            if (answer.missing) { // the worker has been replaced, or used by another call
                this.sent[place] = false;
                answer = await task();
            }
            return answer;
        }));
    }

    /** Sends the strips again. */
    restart() {
        this.sent.fill(false);
        this.key = ++stripCount;
    }

    #copy(place) {
        return this.source.unknownPart(this.around[place], (size) => this.job.pool.takeSpare(size));
    }

    #task(name, place, fields, settings) {
        const strip = { key: this.key };
        if (!this.sent[place]) {
            strip.image = this.#copy(place);
            this.sent[place] = true;
        }
        return this.job.task(name, { strip, ...fields },
            { ...settings, transfer: buffersOf(strip.image, fields.roi?.mask) });
    }

    /** Runs a task in which the workers wait for each other. `fields(rect, around)` is what it needs
     * besides the strip, with the `units` of each stage. `receive(answer, rect)` is called as soon as
     * a strip is done. Returns the data of all.
     *
     * Rows of the image lie together: the first strip is sent in an array that is as large as the
     * image, and its result comes back in its place there. */
    async runTogether(name, { fields, receive }) {
        const { job, source, rects, around } = this;
        const inPlace = around[0].width === source.width;
        const call = ++stripCount;
        job.pool.connect(rects.length);
        const send = async (place) => {
            const rect = rects[place];
            const isFirst = place === 0 && inPlace;
            const image = isFirst ? source.unknownRows(around[place]) : this.#copy(place);
            const own = fields(rect, around[place]);
            const message = { ...own, image, rect, at: isFirst ? source.offset(rect) : 0, call, place,
                              places: rects.length };
            return job.task(name, message, {
                units: Object.values(own.units).reduce((sum, some) => sum + some), place,
                transfer: buffersOf(image, own.roi.mask) });
        };
        // It takes longest to copy the first strip: the other workers begin before.
        const answers = rects.map((_, i) => send(rects.length - 1 - i)).reverse();
        const whole = async () => {
            const { data } = await answers[0];
            return new data.constructor(data.buffer);
        };
        const made = inPlace ? whole() : Promise.resolve(source.newData());
        const finished = await Promise.all([made, ...answers.map(async (task, place) => {
            const answer = await task;
            const data = await made;
            if (place > 0 || !inPlace) {
                source.paste(data, rects[place], answer.data);
                job.pool.keepSpare(answer.data.buffer);
            }
            receive(answer, rects[place]);
        })]);
        return finished[0];
    }
}
