// SPDX-License-Identifier: BSD-2-Clause
// Learns from a strip of an image and filters it, together with the workers that have the others. The
// strip stays in memory, with its labels and converted colours; workers send each other statistics.
import { modelOf, saveModel, saveStats, statsContents } from './worker_stats.js';

// Up to so many workers fit the palette and make the model for themselves, which saves two messages.
// With more, it would take longer to send the statistics of all to all: the first one does it.
const MAX_REPEATING = 4;

class StripWork {
    constructor(instance, peers, scope, message) {
        Object.assign(this, { instance, peers, scope, message });
        const { place, places } = message;
        this.others = Array.from({ length: places }, (_, i) => i).filter((i) => i !== place);
        this.repeats = places <= MAX_REPEATING;
        this.units = Object.values(message.units).reduce((sum, some) => sum + some);
        this.done = 0;
    }

    /** Calls a function that does the work of a stage. */
    stage(name, use) {
        const { instance, message, units, done } = this;
        this.done += message.units[name];
        instance.stage = name;
        return instance.inShare(done / units, message.units[name] / units, () => {
            const result = use();
            instance.tellProgress(1);
            return result;
        });
    }

    check(status) {
        this.instance.check(status);
    }

    /** Puts the strip in memory. */
    load(image) {
        const { c } = this.instance;
        this.inner?.release();
        this.inner = this.instance.newScope();
        Object.assign(this, this.inner.knownImage(image));
        this.part = this.inner.own(c.part_new(this.view), 'part_free');
    }

    scan() {
        const { c } = this.instance;
        const stats = this.scope.own(c.stats_new(), 'stats_free');
        this.check(c.stats_scan(stats, this.view, this.roi));
        return stats;
    }

    count(palette) {
        const { c } = this.instance;
        const stats = this.scope.own(c.stats_new_like(palette), 'stats_free');
        this.check(c.stats_add_part(stats, this.part, this.roi));
        return stats;
    }

    merge(stats, bytes) {
        this.instance.scope((scope) =>
            this.check(this.instance.c.stats_merge(stats, scope.stats(bytes))));
    }

    /** What `finish` makes of the statistics of all strips. `save` and `load` are for workers that
     * do not make it themselves. Undefined if some strips are opaque and others are not. */
    async together(stats, { finish, save, load }) {
        const { instance, peers, others, repeats, message, image: { opaque } } = this;
        if (!repeats && message.place > 0) {
            peers.send([0], { bytes: saveStats(instance, stats), opaque });
            const [answer] = await peers.receive([0]);
            return answer.bytes && load(answer.bytes);
        }
        if (repeats && others.length > 0) {
            peers.send(others, { bytes: saveStats(instance, stats), opaque });
        }
        const found = await peers.receive(others);
        const areAlike = found.every((other) => other.opaque === opaque);
        if (areAlike) {
            found.forEach(({ bytes }) => this.merge(stats, bytes));
        }
        const made = areAlike ? finish(stats) : undefined;
        if (!repeats) {
            peers.send(others, { bytes: areAlike ? save(made) : undefined });
        }
        return made;
    }

    /** Statistics with the palette of the whole image. An RGBA image is read as opaque where it is; if
     * it is not everywhere, it is read again. */
    async findPalette() {
        const { instance, scope, message: { image } } = this;
        const fit = (scanned) => this.together(scanned, {
            finish: (stats) => {
                instance.quietly(() => this.check(instance.c.stats_fit_palette(stats)));
                return stats;
            },
            save: (stats) => saveStats(instance, stats),
            load: (bytes) => scope.stats(bytes),
        });
        const found = await fit(this.stage('scan', () => this.scan()));
        if (found) {
            return found;
        }
        this.load({ ...image, opaque: false });
        return fit(instance.quietly(() => this.scan()));
    }

    /** The model, and of the first strip, if they are asked for, its bytes and what was counted. */
    async findModel(palette) {
        const { instance, scope, message: { place, asked } } = this;
        let contents;
        const counted = this.stage('count', () => this.count(palette));
        const model = await this.together(counted, {
            finish: (stats) => {
                contents = place === 0 && asked.contents && statsContents(instance, stats);
                return modelOf(instance, scope, stats);
            },
            save: (made) => saveModel(instance, made),
            load: (bytes) => scope.model(bytes),
        });
        const isAsked = place === 0 && (asked.model || asked.contents);
        return { model,
                 learned: isAsked ? { bytes: saveModel(instance, model), ...contents } : undefined };
    }

    filter(model) {
        const { instance, scope, message: { image, rect } } = this;
        const out = scope.output({ ...this.image, ...rect });
        this.stage('filter', () =>
            this.check(instance.c.filter_part(model, this.part, out.view)));
        return { data: out.readInto(image.data), report: instance.report() };
    }

    async run() {
        const { message: { image, roi, asked } } = this;
        this.load(image);
        this.roi = this.scope.roi(roi);
        const { model, learned } = await this.findModel(await this.findPalette());
        return { learned, opaque: this.image.opaque, ...(asked.data ? this.filter(model) : {}) };
    }

    release() {
        this.inner?.release();
    }
}

/** The image of the message is the strip with its margin, `rect` the strip. `asked` tells what to
 * find: { model, contents, data }. Data are written to the array that the image came in. */
export async function workOnStrip(instance, { peers }, message) {
    const scope = instance.newScope();
    const work = new StripWork(instance, peers, scope, message);
    peers.begin(message.call);
    try {
        return await work.run();
    } finally {
        peers.end();
        work.release();
        scope.release();
    }
}
