// SPDX-License-Identifier: BSD-2-Clause
// What a worker computes. Each task receives an Instance, the state of the worker and the message,
// and returns an answer, whose buffers are transferred. Options and files travel as bytes.

/** What a worker keeps between the tasks of one call: the last model and the last coarse image. */
export class WorkerState {
    constructor() {
        this.kept = {};
    }

    /** The object with a key, made if the worker does not have it. */
    keep(instance, name, key, free, make) {
        if (this.kept[name]?.key !== key) {
            this.drop(instance, name);
            this.kept[name] = { key, address: instance.made(make()), free };
        }
        return this.kept[name].address;
    }

    drop(instance, name) {
        const kept = this.kept[name];
        delete this.kept[name];
        if (kept) {
            instance.c[kept.free](kept.address);
        }
    }
}

function useModel(instance, state, { key, bytes }) {
    if (state.kept.model?.key !== key) {
        state.drop(instance, 'coarse'); // which uses the model
    }
    return state.keep(instance, 'model', key, 'model_free', () => instance.scope((scope) =>
        instance.c.model_load(scope.put(bytes), bytes.length)));
}

function saveStats(instance, stats) {
    instance.check(instance.c.stats_save(stats));
    return instance.bytes();
}

function saveModel(instance, model) {
    instance.check(instance.c.model_save(model));
    return instance.bytes();
}

function mergedStats(instance, scope, parts) {
    const stats = scope.stats(parts[0]);
    for (const part of parts.slice(1)) {
        instance.scope((inner) => instance.check(instance.c.stats_merge(stats, inner.stats(part))));
    }
    return stats;
}

/** The sums over all distances, as a symmetric matrix. */
function pairCounts(instance, stats, size) {
    const { c } = instance;
    const triangle = (size * (size + 1)) / 2;
    const distances = c.stats_distances(stats);
    const all = instance.array(BigUint64Array, c.stats_counts(stats), distances * triangle);
    const counts = new Float64Array(size * size);
    for (let b = 0, at = 0; b < size; b++) {
        for (let a = 0; a <= b; a++, at++) {
            let sum = 0n;
            for (let d = 0; d < distances; d++) {
                sum += all[d * triangle + at];
            }
            counts[a * size + b] = counts[b * size + a] = Number(sum) / (a === b ? 1 : 2);
        }
    }
    return counts;
}

/** Pixels of each label, and pairs of each two, of the first palette. */
export function statsContents(instance, stats) {
    const size = instance.c.stats_size(stats);
    const histogram = instance.array(BigUint64Array, instance.c.stats_histogram(stats), size);
    return { histogram: Float64Array.from(histogram, Number),
             counts: pairCounts(instance, stats, size) };
}

function modelOfStats(instance, scope, stats, contents) {
    const model = scope.own(instance.c.model_new(stats), 'model_free');
    return { bytes: saveModel(instance, model),
             ...(contents ? statsContents(instance, stats) : {}) };
}

function readInto(instance, scope, stats, name, { image, roi }) {
    const view = scope.image(image);
    instance.check(instance.c[name](stats, view, scope.roi(roi)));
}

function coarseOf(instance, state, coarse, model) {
    let report;
    const address = state.keep(instance, 'coarse', coarse.key, 'coarse_free', () =>
        instance.scope((scope) => {
            const small = scope.image(coarse.small);
            if (coarse.filtered) {
                return instance.c.coarse_new_filtered(model, small, scope.image(coarse.filtered));
            }
            const made = instance.c.coarse_new(model, small);
            report = instance.report();
            return made;
        }));
    return { address, report };
}

export const tasks = {
    /** Samples the values of parts of images. */
    scan(instance, state, { parts }) {
        return instance.scope((scope) => {
            const stats = scope.own(instance.c.stats_new(), 'stats_free');
            for (const part of parts) {
                readInto(instance, scope, stats, 'stats_scan', part);
            }
            return { bytes: saveStats(instance, stats) };
        });
    },

    fit(instance, state, { parts }) {
        return instance.scope((scope) => {
            const stats = mergedStats(instance, scope, parts);
            instance.check(instance.c.stats_fit_palette(stats));
            return { bytes: saveStats(instance, stats) };
        });
    },

    /** Labels a part by the palette of statistics. */
    assign(instance, state, { palette, image, to }) {
        return instance.scope((scope) => {
            const stats = scope.stats(palette);
            const model = scope.own(instance.c.model_of_palette(stats), 'model_free');
            const out = scope.output(to);
            instance.check(instance.c.model_label(model, scope.image(image), out.view));
            return { data: out.read() };
        });
    },

    /** Counts pairs in parts of images, with a palette. */
    count(instance, state, { palette, parts, labels }) {
        return instance.scope((scope) => {
            const stats = scope.own(instance.c.stats_new_like(scope.stats(palette)), 'stats_free');
            for (const part of parts) {
                readInto(instance, scope, stats, labels ? 'stats_add_labels' : 'stats_add', part);
            }
            return { bytes: saveStats(instance, stats) };
        });
    },

    model(instance, state, { parts, contents }) {
        return instance.scope((scope) =>
            modelOfStats(instance, scope, mergedStats(instance, scope, parts), contents));
    },

    /** Learns from whole images. */
    learn(instance, state, { images, contents }) {
        return instance.scope((scope) => {
            const stats = scope.own(instance.c.stats_new(), 'stats_free');
            const read = (name) => images.forEach((image) => instance.scope((inner) =>
                readInto(instance, inner, stats, name, image)));
            read('stats_scan');
            instance.check(instance.c.stats_fit_palette(stats));
            read('stats_add');
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
            instance.check(small ? c.coarse_filter(small.address, view, out.view)
                : labels ? c.filter_labels(address, scope.image(labels), view, out.view)
                    : c.filter(address, scope.image(guide), view, out.view));
            return { data: out.read(image.data.constructor), report: instance.report(),
                     coarse: small?.report };
        });
    },

    /** Learns from a whole image and filters it. */
    smooth(instance, state, { image, roi }) {
        return instance.scope((scope) => {
            const out = scope.output({ ...image });
            const view = scope.image(image);
            instance.check(instance.c.smooth(view, scope.roi(roi), out.view));
            return { data: out.read(image.data.constructor), report: instance.report() };
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

    mask(instance, state, { to }) {
        return instance.scope((scope) => {
            const out = scope.output(to);
            instance.check(instance.c.selection_update(state.selection, out.view));
            return { data: out.read() };
        });
    },

    /** Models of what a mask marks and of the rest, and the prior of the mask. */
    pair(instance, state, { image, mask, prior }) {
        return instance.scope((scope) => {
            const marks = scope.image(mask);
            instance.check(instance.c.learn_pair(scope.image(image), marks));
            const bytes = instance.bytes();
            const out = scope.output(prior);
            instance.check(instance.c.mask_prior(marks, out.view));
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
                instance.check(instance.c.tint(view, ...colour, out.view));
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
