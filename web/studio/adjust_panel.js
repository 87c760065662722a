// SPDX-License-Identifier: BSD-2-Clause
// Presets and options: the ones that matter first, the others in a list that can be unfolded.
import { givenOptions, withOption, withPreset } from './settings.js';
import { OptionField } from './option_field.js';
import { sentence } from './messages.js';

const SLIDERS = {
    size: { min: 0.25, max: 2, step: 0.05 },
    window: { min: 3, max: 63, step: 2 },
    iterations: { min: 1, max: 20, step: 1 },
    softness: { min: 0, max: 2, step: 0.05 },
    colours: { min: 2, max: 256, step: 1 },
    levels: { min: 2, max: 256, step: 1 },
    strength: { min: 0, max: 1, step: 0.01 },
};
const GROUPS = { general: 'General', learn: 'Learning', model: 'Model', filter: 'Filtering',
    select: 'Selecting' };
const NO_FIELD = ['preset', 'threads'];
const PRESETS = ['none', 'subtle', 'portrait', 'texture', 'cartoon', 'flat', 'drawing'];
const PRESET_TEXTS = {
    none: 'The paper’s defaults, whatever the size of the image: one pass, a small window.',
    subtle: 'Removes grain and the finest texture: for noisy photographs.',
    portrait: 'Calms skin and keeps eyes, lips and hair: for people.',
    texture: 'Removes texture and keeps boundaries: for photographs and paintings.',
    cartoon: 'Flat patches of a few colours with clear edges. Not for skies and other gradients.',
    flat: 'Leaves flat shapes, for tracing and segmentation. Not for portraits.',
    drawing: 'Removes paper and cloth, and keeps lines: for drawings, scans and maps.',
};

const byId = (id) => document.getElementById(id);

export class AdjustPanel {
    /** `apply(settings)` is called when the user has changed something. */
    constructor(cof, apply) {
        Object.assign(this, { cof, apply, settings: null, image: null });
        this.fields = new Map();
        this.addPresets();
        for (const name of Object.keys(SLIDERS))
            byId('main-options').append(this.field(this.info(name), { slider: SLIDERS[name] }));
        for (const group of Object.keys(GROUPS))
            this.addGroup(group);
    }

    info(name) {
        return this.cof.optionTable.find((info) => info.name === name);
    }

    addPresets() {
        for (const name of PRESETS) {
            const label = document.createElement('label'), input = document.createElement('input');
            Object.assign(input, { type: 'radio', name: 'preset', value: name });
            input.onchange = () => this.apply(withPreset(this.settings, name));
            label.append(input, name.charAt(0).toUpperCase() + name.slice(1));
            byId('presets').append(label);
        }
    }

    addGroup(group) {
        const infos = this.cof.optionTable.filter((info) => info.group === group &&
            !(info.name in SLIDERS) && !NO_FIELD.includes(info.name));
        if (infos.length === 0)
            return;
        const title = document.createElement('h3');
        title.textContent = GROUPS[group];
        byId('other-options').append(title,
            ...infos.map((info) => this.field(info, { help: true })));
    }

    field(info, look) {
        const field = new OptionField(info, { ...look, change: (value) => this.set(info, value) });
        this.fields.set(info.name, field);
        return field.root;
    }

    /* Applies a value, or returns why it is wrong. */
    set(info, value) {
        const settings = withOption(this.settings, info.name, value);
        try {
            this.resolved(settings);
        } catch (error) {
            return sentence(error.message);
        }
        this.apply(settings);
        return null;
    }

    resolved(settings) {
        const { width, height } = this.image ?? { width: 400, height: 400 };
        return this.cof.resolveOptions(givenOptions(settings), width, height);
    }

    update(settings, image) {
        Object.assign(this, { settings, image });
        for (const radio of document.querySelectorAll('#presets input'))
            radio.checked = radio.value === settings.preset;
        byId('preset-text').textContent = PRESET_TEXTS[settings.preset] ??
            `Preset ${settings.preset}.`;
        const values = { size: settings.options.size ?? 1, ...this.resolved(settings) };
        for (const [name, field] of this.fields)
            field.update(values[name], name in settings.options);
        this.fields.get('size').root.hidden = settings.preset === 'none';
        this.fields.get('colours').root.hidden = Boolean(image?.grey);
        this.fields.get('levels').root.hidden = !image?.grey;
        byId('model-chip').hidden = !settings.model;
        byId('model-name').textContent = settings.model ? `Model: ${settings.model.name}` : '';
    }
}
