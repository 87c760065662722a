// SPDX-License-Identifier: BSD-2-Clause
// Colours and order of the heat map of M: blue is rarer than chance, red more frequent, on a
// logarithmic scale, as `cof show` draws it.

const POWER_ITERATIONS = 300;
const MIN_DECADES = 0.3;
const RARE = [30, 90, 170], FREQUENT = [180, 20, 40];

/* Removes the component along `base`, and normalises the rest to length 1. */
function makeOrthogonal(v, base) {
    const along = v.reduce((sum, x, i) => sum + x * base[i], 0);
    const rest = v.map((x, i) => x - along * base[i]);
    const length = Math.hypot(...rest) || 1;
    return rest.map((x) => x / length);
}

/* One step of power iteration with S + 1, S = D^1/2 M D^1/2. */
function multiply(model, root, v) {
    const k = model.size;
    return v.map((value, a) => {
        let sum = value;
        for (let b = 0; b < k; b++)
            sum += root[a] * model.matrix[a * k + b] * root[b] * v[b];
        return sum;
    });
}

/** Labels by the second eigenvector of S, so that labels that are averaged with each other are
 * neighbours. Grey labels keep their order. */
export function labelOrder(model) {
    const labels = Array.from({ length: model.size }, (_, i) => i);
    if (model.kind === 'grey')
        return labels;
    const root = Array.from(model.frequencies, Math.sqrt);
    let v = labels.map((i) => i - model.size / 2);
    for (let round = 0; round < POWER_ITERATIONS; round++)
        v = multiply(model, root, makeOrthogonal(v, root));
    const score = v.map((x, i) => (root[i] > 0 ? x / root[i] : Infinity));
    labels.sort((a, b) => (score[a] < score[b] ? -1 : score[a] > score[b] ? 1 : a - b));
    return labels[0] > labels[labels.length - 1] ? labels.reverse() : labels;
}

/** The end of the scale, as a power of 10. */
export function scaleDecades(matrix) {
    return Math.max(MIN_DECADES, Math.log10(matrix.reduce((a, b) => Math.max(a, b), 1)));
}

/** The colour of an entry of M. */
export function heatColour(value, decades) {
    const t = value > 0 ? Math.max(-1, Math.min(1, Math.log10(value) / decades)) : -1;
    const end = t < 0 ? RARE : FREQUENT;
    return end.map((limit) => Math.round(255 + Math.abs(t) * (limit - 255)));
}
