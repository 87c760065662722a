// SPDX-License-Identifier: BSD-2-Clause
// Learns from a strip of an image and filters it, together with the workers that have the others. The
// strip stays in memory, with its labels and converted colours; workers send each other statistics.
import { modelOf, saveModel, saveStats, statsContents } from './worker_stats.js';

// Up to so many workers make the model for themselves, which saves a message. With more, it would take
// longer to send the statistics of all to all: one makes it, as it always fits the palette.
const MAX_REPEATING = 4;

const PAGE_BYTES = 4096;

class StripWork {
    constructor(instance, peers, scope, message) {
        Object.assign(this, { instance, peers, scope, message });
        const { place, places } = message;
        this.others = Array.from({ length: places }, (_, i) => i).filter((i) => i !== place);
        this.leader = places - 1; // begins last, so that the statistics of others are there
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

    /** Empty statistics with the palette of others. */
    emptyLike(stats) {
        return this.scope.own(this.instance.c.stats_new_like(stats), 'stats_free');
    }

    count(palette) {
        const stats = this.emptyLike(palette);
        this.check(this.instance.c.stats_add_part(stats, this.part, this.roi));
        return stats;
    }

    /** Statistics that were received. Their memory is kept for those that are sent next: of a palette
     * and of counts. */
    received(scope, bytes) {
        const stats = scope.stats(bytes);
        if (this.peers.spares.length < 2 * this.others.length) {
            this.peers.spares.push(bytes.buffer);
        }
        return stats;
    }

    saved(stats) {
        return saveStats(this.instance, stats, this.peers.spares.pop());
    }

    /** The statistics of all strips. Those of this one remain as they are. */
    merged(own, found) {
        const { c } = this.instance;
        const stats = this.received(this.scope, found[0].bytes);
        this.check(c.stats_merge(stats, own));
        found.slice(1).forEach(({ bytes }) => this.instance.scope((scope) =>
            this.check(c.stats_merge(stats, this.received(scope, bytes)))));
        return stats;
    }

    /** What `finish` makes of the statistics of all strips: for each worker if it `repeats`, otherwise
     * for the leader, from whom the others `load` what it has made and `save`d. Undefined if some
     * strips are opaque and others are not. */
    async together(stats, { repeats, finish, save, load }) {
        const { peers, others, leader, message, image: { opaque } } = this;
        const own = () => ({ bytes: this.saved(stats), opaque });
        if (!repeats && message.place !== leader) {
            peers.send([leader], own);
            this.takeWhole(); // while the leader has more to do
            const [answer] = await peers.receive([leader]);
            return answer.bytes && load(answer.bytes);
        }
        if (repeats) {
            peers.send(others, own);
        }
        const found = await peers.receive(others);
        const areAlike = found.every((other) => other.opaque === opaque);
        const all = areAlike && found.length > 0 ? this.merged(stats, found) : stats;
        const made = areAlike ? finish(all) : undefined;
        if (!repeats) {
            peers.send(others, () => ({ bytes: areAlike ? save(made) : undefined }));
        }
        return made;
    }

    /** Statistics without counts, with the palette of the whole image. An RGBA image is read as opaque
     * where it is; if it is not everywhere, it is read again. */
    async findPalette() {
        const { instance, scope, message: { image } } = this;
        const fit = (scanned) => this.together(scanned, {
            repeats: false,
            finish: (stats) => {
                instance.quietly(() => this.check(instance.c.stats_fit_palette(stats)));
                return this.emptyLike(stats);
            },
            save: (stats) => this.saved(stats),
            load: (bytes) => this.received(scope, bytes),
        });
        const found = await fit(this.stage('scan', () => this.scan()));
        if (found) {
            return found;
        }
        this.load({ ...image, opaque: false });
        return fit(instance.quietly(() => this.scan()));
    }

    /** The model, and of the leader, if they are asked for, its bytes and what was counted. */
    async findModel(palette) {
        const { instance, scope, leader, message: { place, places, asked } } = this;
        let contents;
        const counted = this.stage('count', () => this.count(palette));
        const model = await this.together(counted, {
            repeats: places <= MAX_REPEATING,
            finish: (stats) => {
                contents = place === leader && asked.contents && statsContents(instance, stats);
                return modelOf(instance, scope, stats);
            },
            save: (made) => saveModel(instance, made),
            load: (bytes) => scope.model(bytes),
        });
        const isAsked = place === leader && (asked.model || asked.contents);
        return { model,
                 learned: isAsked ? { bytes: saveModel(instance, model), ...contents } : undefined };
    }

    /** Takes memory for the result of all strips, of which the first worker writes its own: the caller
     * then has one less to copy. The system provides memory when it is first written to. */
    takeWhole() {
        const { place, image, rect, asked } = this.message;
        if (place > 0 || !asked.data || rect.width < image.fullWidth || this.whole) {
            return;
        }
        const { constructor: Type, length } = image.data;
        const rowSize = length / image.height;
        this.whole = new Type(rowSize * image.fullHeight);
        for (let i = 0; i < this.whole.length; i += PAGE_BYTES / Type.BYTES_PER_ELEMENT) {
            this.whole[i] = 0;
        }
    }

    /** The data of the strip or, if there is memory for all strips, that with those of this one. What
     * brought the image is then a spare, for the next call. */
    data(out) {
        const { image } = this.message;
        if (!this.whole) {
            return { data: out.readInto(image.data) };
        }
        out.readInto(this.whole);
        return { data: this.whole, spare: image.data };
    }

    filter(model) {
        const { instance, scope, message: { rect } } = this;
        const out = scope.output({ ...this.image, ...rect });
        this.stage('filter', () =>
            this.check(instance.c.filter_part(model, this.part, out.view)));
        return { ...this.data(out), report: instance.report() };
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
