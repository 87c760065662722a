// SPDX-License-Identifier: BSD-2-Clause
// The strips of an image, one for each worker, which learn from them and filter them together.
import { growRect, splitImage } from './parts.js';
import { buffersOf } from './source.js';
import { FIT_UNITS, UNITS } from './units.js';

let stripCount = 0;

const sum = (numbers) => Object.values(numbers).reduce((total, one) => total + one, 0);

export class Strips {
    /** The strips extend `margin` pixels beyond their part of the image. Undefined if the image is
     * so large that it is better split into more parts than there are workers. */
    static of(job, source, margin, workers = job.parallel) {
        const rects = splitImage(source, workers, margin);
        return rects.length <= workers ? new Strips(job, source, rects, margin) : undefined;
    }

    constructor(job, source, rects, margin) {
        Object.assign(this, { job, source, rects });
        this.around = rects.map((rect) => growRect(rect, margin, source));
    }

    /** What a worker needs besides the pixels. `filterUnits` are those of a pixel. */
    #fields({ roi, asked, filterUnits }, place) {
        const rect = this.rects[place];
        const pixels = rect.width * rect.height;
        const units = { scan: UNITS.scan * pixels + FIT_UNITS / this.rects.length,
                        count: (UNITS.assign + UNITS.count) * pixels, filter: filterUnits * pixels };
        return { rect, asked, units, place, places: this.rects.length,
                 roi: { ...roi, mask: roi.mask?.part(this.around[place]), part: rect } };
    }

    async #send(place, call, settings) {
        const { job, source, around } = this;
        const image = source.unknownPart(around[place], (size) => job.pool.takeSpare(size));
        const fields = this.#fields(settings, place);
        return job.task('workOnStrip', { ...fields, image, call },
            { units: sum(fields.units), place, transfer: buffersOf(image, fields.roi.mask) });
    }

    /** Puts the data of all strips together, as soon as they are there. The first answer may bring
     * memory for all of them, with its own at the beginning. */
    async #join(answers) {
        const { job, source, rects } = this;
        const first = await answers[0];
        const length = source.width * source.height * source.step;
        const whole = first.data.length === length ? first.data : source.newData();
        job.pool.keepSpare(first.spare?.buffer);
        await Promise.all(answers.map(async (answer, place) => {
            const { data } = await answer;
            if (data !== whole) {
                source.paste(whole, rects[place], data);
                job.pool.keepSpare(data.buffer);
            }
        }));
        return whole;
    }

    /** Learns from the strips and, if data are asked for, filters them. `asked` is { model, contents,
     * data }. Returns { data, learned }. */
    async work(settings) {
        const { job, source, rects } = this;
        const call = ++stripCount;
        job.strips = rects.length;
        job.pool.connect(rects.length);
        const answers = rects.map((_, place) => this.#send(place, call, settings));
        const joined = settings.asked.data ? this.#join(answers) : undefined;
        const [data, ...all] = await Promise.all([joined, ...answers]);
        if (!source.isKnown) {
            source.setOpaque(all[0].opaque);
        }
        all.forEach(({ report }, i) => job.addReport(report, rects[i].width * rects[i].height));
        return { data, learned: all.at(-1).learned };
    }
}
