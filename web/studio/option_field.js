// SPDX-License-Identifier: BSD-2-Clause
// A labelled control for one option of the option table.

const DIGITS = 4;

let count = 0;

function element(name, properties = {}) {
    return Object.assign(document.createElement(name), properties);
}

function shown(value) {
    return typeof value === 'number' ? String(Number(value.toPrecision(DIGITS))) : String(value);
}

/** `slider`: {min, max, step}, or null for a number alone. `change(value)` is called when the user
 * has chosen a value (undefined: none), and returns a text if it is wrong. */
export class OptionField {
    constructor(info, { slider = null, help = false, change }) {
        Object.assign(this, { info, change });
        this.root = element('div', { className: 'option' });
        this.label = element('label', { title: info.help, htmlFor: `option-${++count}` });
        this.label.append(element('span', { textContent: info.label }));
        this.input = info.type === 'choice' ? this.choice() : this.number();
        this.input.id = this.label.htmlFor;
        this.input.dataset.option = info.name;
        this.back = element('button', { type: 'button', className: 'undo-one', hidden: true,
            textContent: '↺', title: 'Back to the preset’s value' });
        this.back.setAttribute('aria-label', `Reset: ${info.label}`);
        this.back.onclick = () => this.set(undefined);
        this.problem = element('span', { className: 'wrong-text', hidden: true });
        this.problem.setAttribute('role', 'alert');
        this.label.append(this.back);
        this.root.append(this.label, this.input);
        if (slider)
            this.root.append(this.range = this.slider(slider));
        if (help)
            this.root.append(element('span', { className: 'help', textContent: info.help }));
        this.root.append(this.problem);
    }

    choice() {
        const select = element('select');
        select.append(...this.info.choices.map((word) =>
            element('option', { value: word, textContent: word })));
        select.onchange = () => this.set(select.value);
        return select;
    }

    number() {
        const { info } = this;
        const input = element('input', { type: 'number', step: 'any', inputMode: 'decimal' });
        if (info.automatic)
            input.placeholder = 'auto';
        input.onchange = () => this.set(input.value === '' ? undefined : Number(input.value));
        return input;
    }

    slider({ min, max, step }) {
        const range = element('input', { type: 'range', min, max, step });
        range.setAttribute('aria-label', this.info.label);
        range.dataset.slider = this.info.name;
        range.oninput = () => { this.input.value = shown(Number(range.value)); };
        range.onchange = () => this.set(Number(range.value));
        return range;
    }

    set(value) {
        const problem = this.change(value);
        this.tell(problem ?? '');
    }

    tell(problem) {
        this.problem.textContent = problem;
        this.problem.hidden = problem === '';
        this.input.classList.toggle('wrong', problem !== '');
        this.input.setAttribute('aria-invalid', problem !== '');
    }

    /** Shows a value, and whether the user has set it. */
    update(value, isSet) {
        const automatic = this.info.automatic && value === 0;
        this.input.value = automatic ? '' : shown(value);
        if (this.range)
            this.range.value = value;
        this.back.hidden = !isSet;
        this.root.classList.toggle('changed', isSet);
        this.tell('');
    }
}
