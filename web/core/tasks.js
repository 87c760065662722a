// SPDX-License-Identifier: BSD-2-Clause
// What a worker computes. Each task receives an Instance, the state of the worker and the message,
// and returns an answer, whose buffers are transferred. Options and files travel as bytes.
import { Peers } from './peers.js';
import { workOnStrip } from './strip_work.js';
import { fittedStats, mergedStats, modelOfStats, saveStats, statsOf } from './worker_stats.js';

/** What a worker keeps between the tasks of one call: the last model and the last coarse image. */
export class WorkerState {
    constructor() {
        this.kept = {};
        this.peers = new Peers();
    }

    has(name, key) {
        return this.kept[name]?.key === key;
    }

    /** What has a key; made in a Scope of its own if the worker does not have it. */
    keep(instance, name, key, make) {
        if (!this.has(name, key)) {
            this.drop(name);
            const scope = instance.newScope();
            try {
                this.kept[name] = { key, made: make(scope), scope };
            } catch (error) {
                scope.release();
                throw error;
            }
        }
        return this.kept[name].made;
    }

    drop(name) {
        const kept = this.kept[name];
        delete this.kept[name];
        kept?.scope.release();
    }
}

function useModel(instance, state, { key, bytes }) {
    if (!state.has('model', key)) {
        state.drop('coarse'); // which uses the model
    }
    return state.keep(instance, 'model', key, (scope) => scope.model(bytes));
}

/** Reads images into statistics with a function of the module. */
function readInto(instance, stats, name, parts) {
    instance.inSteps(parts, ({ image, roi }) => instance.scope((scope) => {
        const view = scope.image(image);
        instance.check(instance.c[name](stats, view, scope.roi(roi)));
    }));
}

/** The address of a small image before and after all passes. */
function coarseOf(instance, state, coarse, model) {
    const make = (scope) => instance.quietly(() => instance.c.coarse_new_filtered(model,
        scope.image(coarse.small), scope.image(coarse.filtered)));
    return state.keep(instance, 'coarse', coarse.key, (scope) =>
        scope.own(instance.scope(make), 'coarse_free'));
}

export const tasks = {
    /** Samples the values of parts of images. */
    scan(instance, state, { parts }) {
        return statsOf(instance, () => instance.c.stats_new(), (scope, stats) =>
            readInto(instance, stats, 'stats_scan', parts));
    },

    fit(instance, state, { parts }) {
        return instance.scope((scope) =>
            ({ bytes: saveStats(instance, fittedStats(instance, scope, parts)) }));
    },

    /** Labels a part by the palette of statistics. */
    assign(instance, state, { palette, image, to }) {
        return instance.scope((scope) => {
            const stats = scope.stats(palette);
            const model = scope.own(instance.quietly(() => instance.c.model_of_palette(stats)),
                'model_free');
            const out = scope.output(to);
            instance.check(instance.c.model_label(model, scope.image(image), out.view));
            return { data: out.read() };
        });
    },

    /** Counts pairs in parts of images, with a palette. */
    count(instance, state, { palette, parts, labels }) {
        const like = (scope) => instance.c.stats_new_like(scope.stats(palette));
        return statsOf(instance, like, (scope, stats) =>
            readInto(instance, stats, labels ? 'stats_add_labels' : 'stats_add', parts));
    },

    model(instance, state, { parts, contents }) {
        return instance.scope((scope) =>
            modelOfStats(instance, scope, mergedStats(instance, scope, parts), contents));
    },

    /** Learns from whole images. */
    learn(instance, state, { images, contents }) {
        return instance.scope((scope) => {
            const stats = scope.own(instance.c.stats_new(), 'stats_free');
            const steps = [
                () => readInto(instance, stats, 'stats_scan', images),
                () => instance.check(instance.c.stats_fit_palette(stats)),
                () => readInto(instance, stats, 'stats_add', images),
            ];
            instance.inSteps(steps, (step) => step());
            return modelOfStats(instance, scope, stats, contents);
        });
    },

    downscale(instance, state, { image, factor, to, withValid }) {
        return instance.scope((scope) => {
            const out = scope.output(to);
            const size = to.width * to.height;
            const valid = withValid ? scope.take(size) : 0;
            instance.check(instance.c.downscale(scope.image(image), factor, out.view, valid));
            return { data: out.read(image.data.constructor),
                     valid: valid ? instance.array(Uint8Array, valid, size) : undefined };
        });
    },

    /** Filters a part, or a whole image. */
    filter(instance, state, { model, coarse, image, guide, labels, to }) {
        const { c } = instance;
        const address = useModel(instance, state, model);
        const small = coarse && coarseOf(instance, state, coarse, address);
        return instance.scope((scope) => {
            const out = scope.output(to);
            const view = scope.image(image);
            instance.check(small ? c.coarse_filter(small, view, out.view)
                : labels ? c.filter_labels(address, scope.image(labels), view, out.view)
                    : c.filter(address, scope.image(guide), view, out.view));
            return { data: out.read(image.data.constructor), report: instance.report() };
        });
    },

    workOnStrip,

    /** Learns from a whole image and filters it. */
    smooth(instance, state, { image, roi }) {
        return instance.scope((scope) => {
            const { view, image: known } = scope.knownImage(image);
            const out = scope.output(known);
            instance.check(instance.c.smooth(view, scope.roi(roi), out.view));
            return { data: out.readInto(image.data), report: instance.report() };
        });
    },

    label(instance, state, { model, image, to }) {
        const address = useModel(instance, state, model);
        return instance.scope((scope) => {
            const out = scope.output(to);
            instance.check(instance.c.model_label(address, scope.image(image), out.view));
            return { data: out.read() };
        });
    },

    select(instance, state, { image, foreground, background, to }) {
        return instance.scope((scope) => {
            const out = scope.output(to);
            const marks = [foreground, background].map((one) => scribble(instance, scope, one, to));
            instance.check(instance.c.select(scope.image(image), ...marks, out.view));
            return { data: out.read() };
        });
    },

    selector(instance, state, { image }) {
        const scope = instance.scope((s) => s); // the image stays in memory
        const view = scope.image(image);
        state.selection = instance.made(instance.c.selection_new(view));
        return {};
    },

    stroke(instance, state, { mark, points, radius }) {
        return instance.scope((scope) => {
            instance.check(instance.c.selection_stroke(state.selection, mark, scope.put(points),
                points.length / 2, radius));
            return {};
        });
    },

    pixels(instance, state, { mark, image }) {
        return instance.scope((scope) => {
            instance.check(instance.c.selection_pixels(state.selection, mark, scope.image(image)));
            return {};
        });
    },

    setMask(instance, state, { image }) {
        return instance.scope((scope) => {
            instance.check(instance.c.selection_set_mask(state.selection, scope.image(image)));
            return {};
        });
    },

    /** Without `to`, the mask is made for corrections only. */
    mask(instance, state, { to, correct }) {
        return instance.scope((scope) => {
            const out = to && scope.output(to);
            instance.check(instance.c.selection_update(state.selection, Number(correct),
                out?.view ?? 0));
            return { data: out?.read() };
        });
    },

    /** Models of what a mask marks and of the rest, and the prior of the mask. */
    pair(instance, state, { image, mask, prior }) {
        return instance.scope((scope) => {
            const marks = scope.image(mask);
            instance.check(instance.c.learn_pair(scope.image(image), marks));
            const bytes = instance.bytes();
            const out = scope.output(prior);
            instance.quietly(() => instance.check(instance.c.mask_prior(marks, out.view)));
            return { bytes, data: out.read(Float32Array) };
        });
    },

    focus(instance, state, { pair, prior, image, to }) {
        return instance.scope((scope) => {
            const out = scope.output(to);
            const models = scope.pair(pair);
            const guess = scope.image(prior);
            instance.check(instance.c.focus(...models, guess, scope.image(image), out.view));
            return { data: out.read(image.data.constructor), report: instance.report() };
        });
    },

    matte(instance, state, { pair, prior, image, to }) {
        return instance.scope((scope) => {
            const out = scope.output(to);
            const models = scope.pair(pair);
            const guess = scope.image(prior);
            instance.check(instance.c.matte(...models, guess, scope.image(image), out.view));
            return { data: out.read(Float32Array) };
        });
    },

    /** Tints a part with a colour, if there is one, and blends it with the part or another. */
    blend(instance, state, { matte, image, other, colour, to }) {
        return instance.scope((scope) => {
            const out = scope.output(to);
            const view = scope.image(image);
            if (colour) {
                instance.quietly(() => instance.check(instance.c.tint(view, ...colour, out.view)));
            }
            const backdrop = colour ? out.view : scope.image(other);
            instance.check(instance.c.blend(scope.image(matte), view, backdrop, out.view));
            return { data: out.read(image.data.constructor) };
        });
    },

    recolour(instance, state, { image, mask, colour }) {
        return instance.scope((scope) => {
            const out = scope.output({ ...image });
            const view = scope.image(image);
            instance.check(instance.c.recolour(view, scope.image(mask), ...colour, out.view));
            return { data: out.read(image.data.constructor), report: instance.report() };
        });
    },
};

/** Marked pixels: an image, or strokes that are drawn into one; 0 for none. */
function scribble(instance, scope, marks, size) {
    if (!marks || marks.data) {
        return scope.image(marks);
    }
    const data = new Uint8Array(size.width * size.height);
    const view = scope.image({ ...size, data });
    for (const { points, radius } of marks.strokes) {
        instance.check(instance.c.mask_stroke(view, scope.put(points), points.length / 2, radius,
            255));
    }
    return view;
}
