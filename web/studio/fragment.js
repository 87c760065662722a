// SPDX-License-Identifier: BSD-2-Clause
// Settings as the fragment of the page's address, such as #preset=texture&iterations=4.
import { EFFECTS, initialSettings } from './settings.js';

const MAX_STROKES_LENGTH = 6000;
const MARKS = { k: 'keep', s: 'smooth', e: 'erase' };
const MARK_PATTERN = /^([kse])(\d+(?:\.\d+)?):((?:-?\d+,-?\d+)(?:_-?\d+,-?\d+)*)$/;

function strokeText({ mark, radius, points }) {
    return `${mark[0]}${radius}:${points.map((point) => point.join(',')).join('_')}`;
}

function parseStroke(text) {
    const found = MARK_PATTERN.exec(text);
    if (!found)
        return null;
    return { mark: MARKS[found[1]], radius: Number(found[2]),
        points: found[3].split('_').map((point) => point.split(',').map(Number)) };
}

function parseRegion(text) {
    const [x, y, width, height] = text.split(',').map(Number);
    const ok = [x, y, width, height].every(Number.isInteger) && width > 0 && height > 0;
    return ok ? { x, y, width, height } : null;
}

/** The fragment, without #. `image` is the name of a built-in image, or ''. */
export function settingsToFragment(settings, image) {
    const fields = new URLSearchParams();
    if (image)
        fields.set('image', image);
    fields.set('preset', settings.preset);
    for (const [name, value] of Object.entries(settings.options))
        fields.set(name, value);
    if (settings.region) {
        const { x, y, width, height } = settings.region;
        fields.set('region', [x, y, width, height].join(','));
    }
    const strokes = settings.strokes.map(strokeText).join(';');
    if (strokes && strokes.length < MAX_STROKES_LENGTH) {
        fields.set('effect', settings.effect);
        fields.set('colour', settings.colour.slice(1));
        fields.set('strokes', strokes);
    }
    return fields.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%3B', ';');
}

function parseOption(info, text) {
    if (info.type === 'choice')
        return info.choices.includes(text) ? text : undefined;
    const value = Number(text);
    const allowed = value >= info.min && value <= info.max && (!info.odd || value % 2 === 1) &&
        (info.type === 'number' || Number.isSafeInteger(value));
    const automatic = value === 0 && info.automatic !== '';
    return text.trim() !== '' && (allowed || automatic) ? value : undefined;
}

/** {settings, image, ignored}; ignored names the fields that make no sense. */
export function settingsFromFragment(fragment, optionTable) {
    const settings = initialSettings(), ignored = [];
    let image = '';
    const table = new Map(optionTable.map((info) => [info.name, info]));
    const readers = new Map(Object.entries({
        image: (text) => { image = text; return true; },
        preset: (text) => {
            const ok = text === 'none' || table.get('preset').choices.includes(text);
            settings.preset = ok ? text : settings.preset;
            return ok;
        },
        effect: (text) => EFFECTS.includes(text) && (settings.effect = text),
        colour: (text) => /^[0-9a-f]{6}$/i.test(text) && (settings.colour = `#${text}`),
        region: (text) => (settings.region = parseRegion(text)),
        strokes: (text) => {
            settings.strokes = text.split(';').map(parseStroke).filter(Boolean);
            return settings.strokes.length > 0;
        },
    }));
    for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ''))) {
        const read = readers.get(name) ?? (() => readOption(settings, table.get(name), text));
        if (!read(text))
            ignored.push(name);
    }
    return { settings, image, ignored };
}

function readOption(settings, info, text) {
    const value = info && parseOption(info, text);
    if (value !== undefined)
        settings.options[info.name] = value;
    return value !== undefined;
}
