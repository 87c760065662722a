// SPDX-License-Identifier: BSD-2-Clause
// Tools that mark the image: brushes, the eraser, and the rectangle to learn from.
import { hasSelection, isInside, simplified } from './settings.js';
import { OptionField } from './option_field.js';

const TOOLS = ['hand', 'keep', 'smooth', 'erase', 'rectangle'];
const BRUSH = { name: 'brush', label: 'Brush size', type: 'number', automatic: '', choices: [],
    help: 'radius of the brush on the screen' };
const BRUSH_SLIDER = { min: 2, max: 40, step: 1 };
const byId = (id) => document.getElementById(id);

export class SelectPanel {
    /** `apply(settings)` is called when the user has changed something. */
    constructor(viewer, apply) {
        Object.assign(this, { viewer, apply, settings: null, brush: 9 });
        for (const button of document.querySelectorAll('[data-tool]'))
            if (button.tagName === 'BUTTON')
                button.onclick = () => this.choose(button.dataset.tool);
        document.querySelector('.tools').addEventListener('keydown', (event) => this.key(event));
        this.addBrushSize();
        byId('effect').onchange = (event) => this.change({ effect: event.target.value });
        byId('colour').onchange = (event) => this.change({ colour: event.target.value });
        byId('clear').onclick = () => this.change({ strokes: [] });
        byId('region-remove').onclick = () => this.change({ region: null });
        viewer.addEventListener('stroke', (event) => this.addStroke(event.detail));
        viewer.addEventListener('rectangle', (event) => this.addRegion(event.detail));
        viewer.addEventListener('zoom', () => this.updateRadius());
        this.addRegionFields();
    }

    change(part) {
        this.apply({ ...this.settings, ...part });
    }

    // Tools.

    choose(tool) {
        this.tool = tool === 'rectangle' && this.viewer.tool === 'rectangle' ? 'hand' : tool;
        this.viewer.setTool(this.tool);
        for (const button of document.querySelectorAll('.tools [role="radio"]')) {
            const chosen = button.dataset.tool === this.tool;
            button.setAttribute('aria-checked', chosen);
            const reachable = this.tool === 'rectangle' ? button.dataset.tool === 'hand' : chosen;
            button.tabIndex = reachable ? 0 : -1;
        }
        byId('rectangle').setAttribute('aria-pressed', this.tool === 'rectangle');
    }

    key(event) {
        const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (!step)
            return;
        event.preventDefault();
        const buttons = [...document.querySelectorAll('.tools [role="radio"]')];
        const at = TOOLS.indexOf(document.activeElement.dataset.tool);
        const next = buttons[(at + step + buttons.length) % buttons.length];
        this.choose(next.dataset.tool);
        next.focus();
    }

    addBrushSize() {
        this.size = new OptionField(BRUSH, { slider: BRUSH_SLIDER, change: (value) => {
            if (!(value >= 0.5 && value <= 200))
                return 'The brush size is a number from 0.5 to 200.';
            this.brush = value;
            this.updateRadius();
            return null;
        } });
        byId('brush-size').append(this.size.root);
        this.size.update(this.brush, false);
    }

    /* The brush has one size on the screen, so it is finer where the image is enlarged. */
    updateRadius() {
        const radius = this.brush / this.viewer.transform.scale;
        this.viewer.show({ radius: Math.max(0.5, Math.round(radius * 2) / 2) });
    }

    addStroke({ mark, points, radius }) {
        const { width, height } = this.image, inside = ([x, y]) => x > -1 && y > -1 && x < width &&
            y < height;
        if (!points.some(inside))
            return;
        const line = simplified(points, Math.max(0.5, radius / 8)).map(([x, y]) =>
            [Math.min(width - 1, Math.max(0, Math.round(x))),
                Math.min(height - 1, Math.max(0, Math.round(y)))]);
        const distinct = line.filter(([x, y], i) => i === 0 || x !== line[i - 1][0] ||
            y !== line[i - 1][1]);
        this.change({ strokes: [...this.settings.strokes, { mark, radius, points: distinct }] });
    }

    // The rectangle.

    addRegion(region) {
        this.choose('hand');
        this.change({ region });
    }

    addRegionFields() {
        const labels = { x: 'Left', y: 'Top', width: 'Width', height: 'Height' };
        this.regionFields = Object.entries(labels).map(([name, label]) => {
            const field = new OptionField({ name: `region-${name}`, label, type: 'integer',
                automatic: '', choices: [], help: 'in pixels' },
            { change: (value) => this.setRegion(name, value) });
            byId('region-fields').append(field.root);
            return [name, field];
        });
    }

    setRegion(name, value) {
        const region = { ...this.settings.region, [name]: value };
        if (!isInside(region, this.image))
            return 'The rectangle must lie inside the image.';
        this.change({ region });
        return null;
    }

    update(settings, image) {
        Object.assign(this, { settings, image });
        const { effect, colour, region, strokes } = settings;
        byId('effect').value = effect;
        byId('colour').value = colour;
        byId('colour-field').hidden = effect !== 'tint' && effect !== 'recolour';
        byId('clear').disabled = strokes.length === 0;
        byId('save-mask').hidden = !hasSelection(settings);
        byId('region-remove').hidden = byId('region-fields').hidden = !region;
        byId('rectangle').textContent = region ? 'Draw another' : 'Draw a rectangle';
        if (region)
            for (const [name, field] of this.regionFields)
                field.update(region[name], false);
    }
}
