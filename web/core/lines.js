// SPDX-License-Identifier: BSD-2-Clause
// The command line and the Python that compute what is shown.

// Groups of options that each subcommand has, and options of these groups that it has not.
const COMMANDS = {
    smooth: { groups: ['general', 'learn', 'model', 'filter'], without: [] },
    learn: { groups: ['general', 'learn', 'model'], without: [] },
    apply: { groups: ['general', 'filter'], without: [] },
    select: { groups: ['learn', 'model', 'select'],
              without: ['downscale', 'window', 'gap', 'likelihood'] },
    focus: { groups: ['general', 'learn', 'model', 'filter', 'select'], without: ['variant'] },
    recolour: { groups: ['learn', 'model', 'select'],
                without: ['downscale', 'window', 'gap', 'likelihood'] },
};

// Options that Python's functions do not have: they use a single palette.
const NOT_IN_PYTHON = { focus: ['palettes'], select: ['palettes'] };
const RANGE = ['low', 'high'];

// What a terminal acts upon when a line is pasted.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** A byte, or both bytes of UTF-8. */
function octalEscape(control) {
    const code = control.charCodeAt(0);
    return `${code < 0x80 ? '' : '\\302'}\\${code.toString(8).padStart(3, '0')}`;
}

/** A word for POSIX shells, or for bash, ksh and zsh if it has control characters. */
function shellQuote(text) {
    if (/^[\w./%+:@=,-]+$/.test(text)) {
        return text;
    }
    return text.search(CONTROLS) < 0 ? `'${text.replaceAll("'", "'\\''")}'`
        : `$'${text.replace(/[\\']/g, '\\$&').replace(CONTROLS, octalEscape)}'`;
}

const pythonQuote = (text) => JSON.stringify(String(text))
    .replace(CONTROLS, (control) => `\\x${control.charCodeAt(0).toString(16)}`);
const number = (value) => String(Math.round(value * 1000) / 1000);

/** Options of the subcommand that differ from the preset or the default: [name, value, group]. */
export function changedOptions(options, command, table, preset) {
    const { groups, without } = COMMANDS[command];
    return table.filter(({ name, group, default: initial }) => {
        const usual = preset[name] ?? initial;
        return options[name] !== undefined && groups.includes(group) && !without.includes(name) &&
            String(options[name]) !== String(usual);
    }).map(({ name, group }) => [name, options[name], group]);
}

export const commandNames = Object.keys(COMMANDS);

function pointPairs(points) {
    const flat = [...points].flat();
    return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}

function strokeText({ points, radius }) {
    const text = pointPairs(points).map((pair) => pair.map(number).join(',')).join(' ');
    return radius === undefined ? text : `${text}:${number(radius)}`;
}

export function colourText(colour) {
    if (typeof colour === 'string') {
        return colour.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3'); // Python does not know #rgb
    }
    return `#${colour.map((v) => Math.round(255 * v).toString(16).padStart(2, '0')).join('')}`;
}

// The command line

function optionArguments(changed) {
    const range = changed.filter(([name]) => RANGE.includes(name));
    const words = changed.filter(([name]) => !RANGE.includes(name))
        .flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);
    const values = Object.fromEntries(range);
    return range.length === 0 ? words
        : [...words, '--range', `${values.low ?? 0},${values.high ?? 0}`];
}

function markArguments({ foreground, background, mask }) {
    const strokes = (list, name) => (list ?? []).flatMap((one) => [name, strokeText(one)]);
    const drawn = [...strokes(foreground, '--stroke'), ...strokes(background, '--background-stroke')];
    return drawn.length > 0 ? drawn : ['--mask', mask ?? 'mask.png'];
}

function learnArguments({ region, from, mask }) {
    const where = region ? ['--region', [region.x, region.y, region.width, region.height].join()] : [];
    return [...where, ...(mask ? ['--mask', mask] : []), ...(from ? ['--learn-from', from] : [])];
}

function effectArguments(effect) {
    if (!effect || effect === 'smooth') {
        return [];
    }
    return ['--background', effect.tint ? `tint=${colourText(effect.tint)}` : effect];
}

const commandWords = {
    smooth: (s) => [...learnArguments(s), s.input, s.output],
    learn: (s) => ['learn', ...learnArguments({ ...s, from: undefined }), s.from ?? s.input, '-o',
        s.model],
    apply: (s) => ['apply', s.model, s.input, s.output],
    select: (s) => ['select', ...markArguments(s), s.input, '-o', s.output],
    focus: (s) => ['focus', ...markArguments(s), ...effectArguments(s.effect), s.input, s.output],
    recolour: (s) => ['recolour', ...markArguments(s), '--colour', colourText(s.colour ?? '#4682b4'),
        s.input, s.output],
};

function withDefaults(settings) {
    return { command: 'smooth', input: 'input.jpg', output: 'output.png', model: 'model.cof',
             ...Object.fromEntries(Object.entries(settings).filter(([, v]) => v !== undefined)) };
}

/** A file whose name begins with - is no option. */
function withFileWords(given) {
    const names = ['input', 'output', 'model', 'mask', 'from'];
    return { ...given, ...Object.fromEntries(names.filter((name) => given[name]?.startsWith('-'))
        .map((name) => [name, `./${given[name]}`])) };
}

export function shellLine(changed, settings) {
    const given = withFileWords(withDefaults(settings));
    const words = commandWords[given.command](given);
    const at = given.command === 'smooth' ? 0 : 1;
    return ['cof', ...words.slice(0, at), ...optionArguments(changed), ...words.slice(at)]
        .map(shellQuote).join(' ');
}

// Python

function keywordText(changed, command) {
    return changed.filter(([name]) => !(NOT_IN_PYTHON[command] ?? []).includes(name))
        .map(([name, value]) => `${name}=${typeof value === 'string' ? pythonQuote(value) : value}`);
}

/** The keywords of some groups of options. */
const keywordsOf = (changed, command, groups) => keywordText(
    changed.filter(([, , group]) => groups.includes(group)), command);

function callText(name, words) {
    return `${name}(${words.filter(Boolean).join(', ')})`;
}

function drawLines(name, strokes) {
    const draw = ({ points, radius }) => callText('cof.draw_stroke', [name,
        `[${pointPairs(points).map((pair) => `(${pair.map(number).join(', ')})`).join(', ')}]`,
        radius === undefined ? '' : `radius=${number(radius)}`]);
    return [`${name} = np.zeros(image.shape[:2], np.uint8)`, ...strokes.map(draw)];
}

/** Lines that make `mask`. */
function pythonMask({ foreground, background, mask }, keywords = []) {
    if (!foreground?.length) {
        return [`mask = skimage.io.imread(${pythonQuote(mask ?? 'mask.png')})`];
    }
    const marks = background?.length ? ['marks', 'others'] : ['marks'];
    return [...drawLines('marks', foreground),
        ...(background?.length ? drawLines('others', background) : []),
        `mask = ${callText('cof.select', ['image', ...marks, ...keywords])}`];
}

function regionText({ region }) {
    return region && `region=np.s_[${region.y}:${region.y + region.height}, ` +
        `${region.x}:${region.x + region.width}]`;
}

function learnKeywords({ region, from, mask }) {
    return [regionText({ region }),
        mask && `mask=skimage.io.imread(${pythonQuote(mask)})`,
        from && `learn_from=skimage.io.imread(${pythonQuote(from)})`];
}

function effectKeyword(effect) {
    if (!effect || effect === 'smooth') {
        return '';
    }
    return `background=${pythonQuote(effect.tint ? colourText(effect.tint) : effect)}`;
}

/** The object on a transparent background. */
function cutOutLines(s, changed) {
    const pair = keywordsOf(changed, 'focus', ['learn', 'model', 'select']);
    const matte = keywordsOf(changed, 'focus', ['filter', 'select']);
    return [`models = ${callText('cof.Model.fit_pair', ['image', 'mask', ...pair])}`,
        `matte = ${callText('cof.matte', ['image', '*models', 'prior=cof.mask_prior(mask)',
            ...matte])}`,
        'result = np.dstack([image, (255 * matte + 0.5).astype(np.uint8)])'];
}

const saveLine = (name, output) => `skimage.io.imsave(${pythonQuote(output)}, ${name})`;

const pythonWords = {
    smooth: (s, words) => [
        `result = ${callText('cof.smooth', ['image', ...learnKeywords(s), ...words])}`,
        saveLine('result', s.output)],
    learn: (s, words) => [
        `model = ${callText('cof.Model.fit', ['image', ...learnKeywords({ ...s, from: undefined }),
            ...words])}`,
        `model.save(${pythonQuote(s.model)})`],
    apply: (s, words) => [`model = cof.Model.load(${pythonQuote(s.model)})`,
        `result = ${callText('model.apply', ['image', ...words])}`, saveLine('result', s.output)],
    select: (s, words) => [...pythonMask(s, words),
        saveLine('mask.astype(np.uint8) * 255', s.output)],
    focus: (s, words, changed) => [...pythonMask(s),
        ...(s.effect === 'transparent' ? cutOutLines(s, changed)
            : [`result = ${callText('cof.focus', ['image', 'mask', effectKeyword(s.effect),
                ...words])}`]),
        saveLine('result', s.output)],
    recolour: (s, words, changed) => [
        ...pythonMask(s, keywordsOf(changed, 'select', ['select'])),
        `result = ${callText('cof.recolour', ['image', 'mask',
            pythonQuote(colourText(s.colour ?? '#4682b4')),
            ...keywordsOf(changed, 'recolour', ['learn', 'model'])])}`,
        saveLine('result', s.output)],
};

export function pythonLines(changed, settings) {
    const given = withDefaults(settings);
    const input = given.command === 'learn' ? given.from ?? given.input : given.input;
    const words = keywordText(changed, given.command);
    const body = pythonWords[given.command](given, words, changed).join('\n');
    const uses = ['cof', ...(body.includes('np.') ? ['numpy as np'] : []), 'skimage.io'];
    return [`import ${uses.join(', ')}`, `image = skimage.io.imread(${pythonQuote(input)})`, body]
        .join('\n');
}
