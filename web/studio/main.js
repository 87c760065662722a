// SPDX-License-Identifier: BSD-2-Clause
// Starts the page.
import { Model } from './cof.js';
import { settingsFromFragment } from './fragment.js';
import { watchFiles } from './input.js';
import { cancel } from './jobs.js';
import { showError, showInfo, sentence } from './messages.js';
import { BUILT_IN, builtInAddress, builtInFile, createCof, workOffline } from './resources.js';
import { withPreset } from './settings.js';
import { Studio } from './studio.js';
import { showTab, watchTabs } from './tabs.js';
import { Viewer } from './viewer.js';

const byId = (id) => document.getElementById(id);

async function openBuiltIn(studio, name, settings = null) {
    try {
        await studio.openImage(await builtInFile(name), { builtIn: name, settings });
    } catch {
        showError('The built-in image cannot be read.');
    }
}

function showBuiltIn(studio) {
    byId('built-in').replaceChildren(...BUILT_IN.map(({ name, title, text, preset }) => {
        const item = document.createElement('li'), button = document.createElement('button');
        const picture = new Image();
        Object.assign(picture, { src: builtInAddress(name), alt: text });
        const caption = document.createElement('span');
        caption.textContent = title;
        Object.assign(button, { type: 'button', onclick: () => openBuiltIn(studio, name,
            preset && withPreset(studio.settings, preset)) });
        button.dataset.image = name;
        button.append(picture, caption);
        item.append(button);
        return item;
    }));
}

function watchView(viewer, studio) {
    const step = 1.25;
    byId('fit').onclick = () => viewer.fit();
    byId('actual').onclick = () => viewer.zoomToPixels(1);
    byId('zoom-in').onclick = () => viewer.zoom(step);
    byId('zoom-out').onclick = () => viewer.zoom(1 / step);
    byId('full').onclick = () => studio.showFull();
    byId('cancel').onclick = () => cancel();
    viewer.addEventListener('zoom', () => {
        byId('zoom').textContent = `${Math.round(100 * viewer.zoomInPixels)} %`;
    });
    const original = byId('original');
    const show = (on) => viewer.show({ showOriginal: on });
    original.onpointerdown = () => show(true);
    for (const name of ['pointerup', 'pointerleave', 'pointercancel', 'blur'])
        original.addEventListener(name, () => show(false));
    viewer.canvas.addEventListener('divider', ({ detail: { x, left, right, top } }) => {
        const shown = viewer.after && !viewer.showOriginal;
        byId('before').hidden = !viewer.before || (shown && x - left < 70);
        byId('after').hidden = !shown || right - x < 70;
        byId('before').style.top = byId('after').style.top = `${top + 10}px`;
        byId('before').style.left = `${left + 10}px`;
        byId('after').style.right = `${viewer.transform.view.width - right + 10}px`;
    });
}

function isTyping({ target }) {
    return target.matches('input:not([type="range"], [type="radio"], [type="checkbox"]), ' +
        'select, summary');
}

/* Space presses a button that has the focus. */
function showsOriginal(event) {
    return event.target.id === 'original' ||
        !(isTyping(event) || event.target.closest('button, label, input'));
}

function commandKey(event, studio) {
    const key = event.key.toLowerCase();
    if (key === 'z')
        event.shiftKey ? studio.redo() : studio.undo();
    else if (key === 'y')
        studio.redo();
    else if (key === 's' && studio.image)
        studio.export.saveImage();
    else
        return;
    event.preventDefault();
}

function plainKey(event, viewer) {
    const actions = { 1: () => viewer.zoomToPixels(1), f: () => viewer.fit(),
        '+': () => viewer.zoom(1.25), '=': () => viewer.zoom(1.25), '-': () => viewer.zoom(0.8),
        o: () => byId('open').click(), escape: () => cancel() || viewer.abandon() };
    const action = actions[event.key.toLowerCase()];
    if (action) {
        action();
        event.preventDefault();
    }
}

function watchKeys(viewer, studio) {
    addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey) {
            if (!isTyping(event) || event.key.toLowerCase() === 's')
                commandKey(event, studio);
        } else if (event.key === ' ' && showsOriginal(event)) {
            event.preventDefault();
            viewer.show({ showOriginal: true });
        } else if (!isTyping(event) && !event.altKey) {
            plainKey(event, viewer);
        }
    });
    addEventListener('keyup', (event) => {
        if (event.key === ' ')
            viewer.show({ showOriginal: false });
    });
    addEventListener('blur', () => viewer.show({ showOriginal: false }));
}

async function openFragment(studio) {
    const { settings, image, ignored } = settingsFromFragment(location.hash,
        studio.cof.optionTable);
    if (ignored.length > 0)
        showInfo(`Wrong settings of the address were left out: ${ignored.join(', ')}.`);
    if (BUILT_IN.some(({ name }) => name === image))
        await openBuiltIn(studio, image, settings);
    else if (location.hash.length > 1)
        studio.start(settings);
}

async function createFilter() {
    if (typeof WebAssembly !== 'object') {
        showError('This browser has no WebAssembly, which the filter needs. It may be turned ' +
            'off; Firefox, Chrome, Edge and Safari have it.');
        return null;
    }
    try {
        const cof = await createCof();
        if (!cof.simd)
            showInfo('This browser has no WebAssembly SIMD: the filter works, but takes longer.');
        return cof;
    } catch (error) {
        showError(`The filter does not start: ${sentence(error.message)}`);
        return null;
    }
}

async function start() {
    showTab('adjust');
    const cof = await createFilter();
    if (!cof) {
        document.body.dataset.state = 'failed';
        byId('open').disabled = byId('open-first').disabled = true;
        return;
    }
    const viewer = new Viewer(byId('view'), byId('divider'));
    const studio = new Studio(cof, Model, viewer);
    watchTabs((tab) => studio.showTab(tab));
    watchView(viewer, studio);
    watchKeys(viewer, studio);
    watchFiles((files) => studio.openFiles(files));
    showBuiltIn(studio);
    byId('undo').onclick = () => studio.undo();
    byId('redo').onclick = () => studio.redo();
    byId('reset').onclick = () => studio.reset();
    byId('model-remove').onclick = () => studio.apply({ ...studio.settings, model: null });
    byId('about').textContent = `libcof ${cof.version}, ${cof.workers} ` +
        `${cof.workers === 1 ? 'worker' : 'workers'}${cof.simd ? ' with SIMD' : ''}.`;
    await openFragment(studio);
    addEventListener('hashchange', () => openFragment(studio));
    document.body.dataset.state = 'ready';
    workOffline();
}

start();
