// SPDX-License-Identifier: BSD-2-Clause
// The option table of the library, and options by name.
import { CofError, refuseOption } from './errors.js';

// CofOptionType and CofOptionGroup.
const OPTION_TYPES = ['integer', 'seed', 'number', 'choice'];
const OPTION_GROUPS = ['general', 'learn', 'model', 'filter', 'select', 'run'];
const FLAG_ODD = 1;
const FLAG_AUTO = 2;
const FLAG_PRESET = 4;
const FLAG_VARIANT = 8;
const FLAG_NO_FIELD = 16;

const AMERICAN = { colors: 'colours', normalize: 'normalise' };

function choicesOf(instance, index) {
    const words = [];
    for (let i = 0, word; (word = instance.text(instance.c.option_choice(index, i))); i++) {
        words.push(word);
    }
    return words;
}

function readOption(instance, index) {
    const { c } = instance;
    const type = OPTION_TYPES[c.option_type(index)];
    const flags = c.option_flags(index);
    const choices = type === 'choice' ? choicesOf(instance, index) : [];
    const initial = c.option_default(index);
    return Object.freeze({
        name: instance.text(c.option_name(index)), type,
        group: OPTION_GROUPS[c.option_group(index)],
        default: flags & FLAG_NO_FIELD ? undefined : choices[initial] ?? initial,
        min: c.option_minimum(index), max: c.option_maximum(index),
        odd: Boolean(flags & FLAG_ODD),
        automatic: flags & FLAG_AUTO ? instance.text(c.option_automatic(index)) : '',
        choices: Object.freeze(choices),
        setByPreset: Boolean(flags & FLAG_PRESET), setByVariant: Boolean(flags & FLAG_VARIANT),
        label: instance.text(c.option_label(index)), help: instance.text(c.option_help(index)),
    });
}

/** All options, in the order of the table, which an instance reads once. */
export function readOptionTable(instance) {
    instance.optionTable ??= Object.freeze(Array.from({ length: instance.c.option_count() },
        (_, index) => readOption(instance, index)));
    return instance.optionTable;
}

function valueOf(instance, info, index) {
    if (info.type === 'seed') {
        const seed = BigInt.asUintN(64, instance.c.options_get_seed(index));
        return seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : seed;
    }
    const number = instance.c.options_get(index);
    return info.type === 'choice' ? info.choices[number] : number;
}

/** The options of the session, by name; those that `wanted` says. A preset has used `size` up. */
export function readOptions(instance, wanted = () => true) {
    const found = {};
    readOptionTable(instance).forEach((info, index) => {
        if (info.default !== undefined && info.name !== 'size' && wanted(info)) {
            found[info.name] = valueOf(instance, info, index);
        }
    });
    return found;
}

/** Options in British spelling, without those that are undefined or null. */
export function namedOptions(options, table) {
    const found = {};
    for (const [given, value] of Object.entries(options ?? {})) {
        const name = AMERICAN[given] ?? given;
        if (!table.some((info) => info.name === name)) {
            refuseOption(given, `there is no option '${given}'`);
        }
        if (value !== undefined && value !== null) {
            found[name] = value;
        }
    }
    return found;
}

function setPreset(instance, info, word, size) {
    const index = info.choices.indexOf(word);
    if (index < 0) {
        refuseOption('preset', `preset must be one of ${info.choices.join(', ')}`);
    }
    instance.check(instance.c.options_preset(index, size.width, size.height));
}

function setOption(instance, name, value) {
    if (!['number', 'string', 'bigint'].includes(typeof value)) {
        throw new CofError('option', `${name} must be a number or a word`, { option: name });
    }
    instance.scope((scope) => instance.check(
        instance.c.options_set(scope.text(name), scope.text(value))));
}

/** Sets the options of the session: the preset first, then the variant, then those of the caller,
 * which override both. */
export function writeOptions(instance, options, table, size) {
    const given = namedOptions(options, table);
    instance.c.options_init();
    if (given.size !== undefined) {
        if (given.preset === undefined) {
            refuseOption('size', 'size needs a preset');
        }
        setOption(instance, 'size', given.size); // which the preset needs
    }
    for (const info of table) {
        if (given[info.name] === undefined) {
            continue;
        }
        if (info.default === undefined) {
            setPreset(instance, info, given[info.name], size);
        } else {
            setOption(instance, info.name, given[info.name]);
        }
    }
    if (given.preset !== undefined && given.downscale !== undefined &&
        given.filter_downscale === undefined) {
        setOption(instance, 'filter_downscale', given.downscale); // a preset sets both factors
    }
    instance.check(instance.c.options_check());
}
