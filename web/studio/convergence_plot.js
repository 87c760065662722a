// SPDX-License-Identifier: BSD-2-Clause
// The change of each pass as a small plot with a logarithmic scale.

const NAMESPACE = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [300, 150, 42, 26, 12];

function shape(name, attributes, text) {
    const node = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes))
        node.setAttribute(key, value);
    if (text !== undefined)
        node.textContent = text;
    return node;
}

/* Powers of ten around the values. */
function decades(values) {
    const logs = values.map(Math.log10);
    const low = Math.floor(Math.min(...logs)), high = Math.ceil(Math.max(...logs));
    return [low, Math.max(high, low + 1)];
}

function label(power) {
    return power >= -2 && power <= 4 ? String(Number((10 ** power).toPrecision(1))) : `1e${power}`;
}

function axes(svg, [low, high], passes, x, y) {
    const step = Math.max(1, Math.ceil((high - low) / 4));
    for (let power = low; power <= high; power += step) {
        svg.append(shape('line', { class: 'axis', x1: LEFT, x2: WIDTH - 4, y1: y(10 ** power),
            y2: y(10 ** power) }),
        shape('text', { x: LEFT - 6, y: y(10 ** power) + 4, 'text-anchor': 'end' }, label(power)));
    }
    const every = Math.ceil(passes / 8);
    for (let pass = 1; pass <= passes; pass += every)
        svg.append(shape('text', { x: x(pass), y: HEIGHT - 8, 'text-anchor': 'middle' }, pass));
}

/** A plot of the mean squared change of each pass. */
export function convergencePlot(change) {
    const text = document.createElement('p');
    text.className = 'small';
    const values = change.map((value) => Math.max(value, 1e-6));
    if (values.length < 2) {
        text.textContent = values.length === 1
            ? `One pass, with a mean squared change of ${change[0].toPrecision(3)}.`
            : 'The change of each pass is not known here.';
        return text;
    }
    const range = decades(values);
    const x = (pass) => LEFT + 10 + (pass - 1) / (values.length - 1) * (WIDTH - LEFT - 24);
    const y = (value) => TOP + (range[1] - Math.log10(value)) / (range[1] - range[0]) *
        (HEIGHT - TOP - BOTTOM);
    const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label':
        `Mean squared change of each pass: ${change.map((v) => v.toPrecision(3)).join(', ')}` });
    axes(svg, range, values.length, x, y);
    svg.append(shape('polyline', { class: 'line',
        points: values.map((value, i) => `${x(i + 1)},${y(value)}`).join(' ') }),
    ...values.map((value, i) =>
        shape('circle', { class: 'dot', cx: x(i + 1), cy: y(value), r: 3 })));
    text.textContent = 'Mean squared change of each pass.';
    const figure = document.createElement('div');
    figure.append(svg, text);
    return figure;
}
