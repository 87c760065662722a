// SPDX-License-Identifier: BSD-2-Clause
// Statistics and models in the memory of a worker, and as bytes.

export function saveStats(instance, stats, buffer) {
    instance.check(instance.c.stats_save(stats));
    return instance.bytes(buffer);
}

export function saveModel(instance, model) {
    instance.check(instance.c.model_save(model));
    return instance.bytes();
}

export function mergedStats(instance, scope, parts) {
    const stats = scope.stats(parts[0]);
    for (const part of parts.slice(1)) {
        instance.scope((inner) => instance.check(instance.c.stats_merge(stats, inner.stats(part))));
    }
    return stats;
}

export function fittedStats(instance, scope, parts) {
    const stats = mergedStats(instance, scope, parts);
    instance.check(instance.c.stats_fit_palette(stats));
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

export function modelOf(instance, scope, stats) {
    return scope.own(instance.quietly(() => instance.c.model_new(stats)), 'model_free');
}

export function modelOfStats(instance, scope, stats, contents) {
    return { bytes: saveModel(instance, modelOf(instance, scope, stats)),
             ...(contents ? statsContents(instance, stats) : {}) };
}

/** Statistics that `read` adds something to, as bytes. */
export function statsOf(instance, make, read) {
    return instance.scope((scope) => {
        const stats = scope.own(make(scope), 'stats_free');
        read(scope, stats);
        return { bytes: saveStats(instance, stats) };
    });
}
