// SPDX-License-Identifier: BSD-2-Clause
// The image, its settings and their history, and what is computed from them.
import { AdjustPanel } from './adjust_panel.js';
import { commandOf, compute, learn, learnedFrom, LiveSelection,
    selectionMask } from './compute.js';
import { Drafts, scaledSelection } from './draft.js';
import { channelsOf } from './encode.js';
import { ExportPanel } from './export_panel.js';
import { settingsToFragment } from './fragment.js';
import { History } from './history.js';
import { cancel, isCancelled, runJob } from './jobs.js';
import { LearnedPanel } from './learned_panel.js';
import { clearErrors, sentence, showError, showInfo } from './messages.js';
import { fullImage, openImage, toBitmap } from './pixels.js';
import { SelectPanel } from './select_panel.js';
import { forAnotherImage, hasSelection, initialSettings, isInside } from './settings.js';
import { maskOverlay } from './view_layers.js';

const byId = (id) => document.getElementById(id);

export class Studio {
    constructor(cof, Model, viewer) {
        Object.assign(this, { cof, Model, viewer, image: null, files: [], builtIn: '',
            tab: 'adjust', live: null, shown: null, whole: null, learned: null,
            computing: null, work: 0 });
        this.history = new History(initialSettings());
        this.adjust = new AdjustPanel(cof, (settings) => this.apply(settings));
        this.select = new SelectPanel(viewer, (settings) => this.apply(settings));
        this.learnedPanel = new LearnedPanel();
        this.export = new ExportPanel(this);
        viewer.addEventListener('point', (event) => this.point(event.detail));
        byId('overlay').onchange = () => this.showMarks();
        byId('show-labels').onchange = () => this.showAfter();
        this.learnedPanel.show(null);
        this.update();
    }

    get settings() {
        return this.history.current;
    }

    // Opening.

    /** Opens images, or a model. The first image is shown. */
    async openFiles(files) {
        if (files.length === 0)
            showInfo('That was not a file. Save the image first, then open it here.');
        const models = files.filter((file) => /\.cof$/i.test(file.name));
        const images = files.filter((file) => !models.includes(file));
        if (images.length > 0) {
            this.files = images;
            await this.openImage(images[0]);
        }
        for (const file of models)
            await this.openModel(file);
    }

    /** Opens an image, with the given settings or those that there are. */
    async openImage(file, { builtIn = '', settings = null } = {}) {
        cancel();
        const work = ++this.work;
        this.setBusy(true);
        try {
            const opened = await openImage(file);
            const before = await toBitmap(opened.preview);
            if (work === this.work)
                this.setImage({ file, name: file.name || 'image.png', ...opened }, before, builtIn,
                    settings);
        } catch (error) {
            showError(`${file.name || 'Image'}: ${error.message}.`);
            if (work === this.work)
                this.setBusy(false);
        }
    }

    setImage(image, before, builtIn, settings) {
        clearErrors();
        this.live?.close();
        const next = settings ?? (this.image ? forAnotherImage(this.settings) : this.settings);
        const live = new LiveSelection(this.cof, image.preview, image);
        Object.assign(this, { image, builtIn, live, drafts: new Drafts(image.preview), shown: null,
            whole: null, learned: null });
        if (!this.files.includes(image.file))
            this.files = [image.file];
        this.history = new History(checkedRegion(next, image));
        this.viewer.setImage(image.width, image.height, before);
        byId('welcome').hidden = true;
        document.body.classList.remove('empty');
        for (const id of ['stage-bar', 'before', 'after'])
            byId(id).hidden = false;
        for (const id of ['save', 'save-image', 'save-model'])
            byId(id).disabled = false;
        byId('file-name').textContent = `${image.name}, ${image.width} × ${image.height}`;
        if (!image.complete)
            showError(`${image.name}: the file is cut off. The part that could be read is shown.`);
        this.refresh();
    }

    async openModel(file) {
        try {
            const model = this.Model.from(new Uint8Array(await file.arrayBuffer()));
            clearErrors();
            this.apply({ ...this.settings, model: { name: file.name, model } });
            if (!this.image)
                showInfo(`${file.name} will be applied to the image that you open.`);
        } catch (error) {
            showError(`${file.name}: ${error.message}.`);
        }
    }

    // Settings.

    /** Begins with other settings, which cannot be undone. */
    start(settings) {
        this.history = new History(this.image ? checkedRegion(settings, this.image) : settings);
        this.refresh();
    }

    apply(settings) {
        this.history.push(settings);
        this.refresh();
    }

    undo() {
        if (this.history.canUndo)
            this.stepTo(-1);
    }

    redo() {
        if (this.history.canRedo)
            this.stepTo(1);
    }

    stepTo(by) {
        this.history.step(by);
        this.refresh();
    }

    reset() {
        this.apply({ ...initialSettings(), effect: this.settings.effect,
            colour: this.settings.colour });
    }

    /* Shows the settings everywhere. */
    update() {
        const { settings, image } = this;
        this.adjust.update(settings, image);
        this.select.update(settings, image);
        this.export.updateLines();
        this.export.updateBatch(this.files, image?.file);
        byId('undo').disabled = !this.history.canUndo;
        byId('redo').disabled = !this.history.canRedo;
        this.updateScale();
        if (image)
            history.replaceState(null, '', `#${settingsToFragment(settings, this.builtIn)}`);
    }

    refresh() {
        this.update();
        this.showMarks();
        return this.recompute();
    }

    // Computing.

    setBusy(busy) {
        byId('stage').setAttribute('aria-busy', busy);
    }

    /* Computes what the settings ask for and shows it. The latest call wins. */
    recompute() {
        this.computing = this.image ? this.computeAndShow() : null;
        return this.computing;
    }

    async computeAndShow() {
        const { settings } = this;
        const work = ++this.work, start = performance.now();
        this.setBusy(true);
        try {
            await runJob('Smoothing', async (run) => {
                if (hasSelection(settings))
                    await this.findMask(settings, run, work);
                await this.showDraft(settings, run, work, start);
                await this.showPreview(settings, run, work, start);
            });
        } catch (error) {
            if (work === this.work)
                this.failed(error);
        } finally {
            if (work === this.work)
                this.setBusy(false);
        }
    }

    /* Shows a draft if the preview will take long. */
    async showDraft(settings, run, work, start) {
        const { cof, image, drafts } = this, kind = `${commandOf(settings)} ${settings.preset}`;
        const draft = await drafts.imageFor(kind);
        if (!draft)
            return;
        const begin = performance.now();
        const result = await compute(cof, draft, image, settings,
            scaledSelection(this.live, draft), { signal: run.signal });
        drafts.noteDraft(kind, performance.now() - begin);
        await this.showResult(settings, result, work);
        performance.measure('preview', { start, end: performance.now() });
    }

    async showPreview(settings, run, work, start) {
        const { drafts } = this, begin = performance.now();
        const result = await this.computed(settings, run);
        drafts.notePreview(`${commandOf(settings)} ${settings.preset}`, performance.now() - begin);
        await this.showResult(settings, result, work);
        performance.measure('preview', { start, end: performance.now() });
    }

    async showResult(settings, result, work) {
        const after = await toBitmap(result);
        if (work !== this.work)
            return;
        this.shown = { settings, result, after };
        clearErrors();
        this.showAfter();
    }

    failed(error) {
        if (isCancelled(error))
            showInfo('Cancelled: the image shows the settings before.');
        else
            showError(sentence(error.message));
    }

    async computed(settings, run) {
        const { cof, image } = this;
        if (this.tab !== 'learned')
            return compute(cof, image.preview, image, settings, this.live, run);
        return this.computedWithLearning(settings, { ...run, report: true });
    }

    /* The mask is shown as soon as it is known, before the effect. */
    async findMask(settings, run, work) {
        const { cof, image } = this;
        const mask = await selectionMask(cof, image.preview, image, settings, this.live, run);
        if (work !== this.work)
            return;
        this.overlay = { strokes: settings.strokes, canvas: maskOverlay(mask) };
        this.showMarks();
    }

    async computedWithLearning(settings, run) {
        const { cof, image } = this, isPlain = commandOf(settings) === 'smooth';
        let result = null;
        try {
            this.learned = await learnedFrom(cof, image.preview, image, settings, run);
            result = isPlain ? this.learned.result : null;
            this.learnedPanel.show(this.learned, image.preview);
        } catch (error) {
            if (isCancelled(error))
                throw error;
            this.learned = null;
            this.learnedPanel.show(null, null, sentence(error.message));
        }
        result ??= await compute(cof, image.preview, image, settings, this.live, run);
        if (this.learned && !isPlain && result.report.change.length > 0)
            this.learnedPanel.showChange(result.report.change);
        return result;
    }

    // Full size.

    get isScaled() {
        const { image } = this;
        return Boolean(image) && image.preview.width !== image.width;
    }

    /** What is shown, computed for every pixel. */
    async full(run) {
        const { settings, image } = this;
        if (this.shown?.settings === settings && this.shown.result.width === image.width)
            return this.shown.result;
        if (this.whole?.settings === settings)
            return this.whole.result;
        const result = await this.fullOf(image.file, settings, run);
        this.whole = { settings, result };
        return result;
    }

    /** What settings make of an image file, computed for every pixel. */
    async fullOf(file, settings, run) {
        return this.withFullImage(file, run, (pixels, live) =>
            compute(this.cof, pixels, pixels, settings, live, run));
    }

    async withFullImage(file, run, work) {
        const pixels = await fullImage(file);
        run.signal.throwIfAborted();
        const live = new LiveSelection(this.cof, pixels, pixels);
        try {
            return await work(pixels, live);
        } finally {
            live.close();
        }
    }

    model(run) {
        const { settings, image } = this;
        if (settings.model)
            return settings.model.model;
        return this.withFullImage(image.file, run, (pixels) =>
            learn(this.cof, pixels, pixels, settings, run));
    }

    mask(run) {
        const { settings, image } = this;
        return this.withFullImage(image.file, run, (pixels, live) =>
            selectionMask(this.cof, pixels, pixels, settings, live, run));
    }

    /** Computes every pixel now, and shows it. */
    async showFull() {
        const { settings } = this, work = ++this.work;
        this.setBusy(true);
        try {
            const result = await runJob('Smoothing', (run) => this.full(run));
            const [before, after] = [await toBitmap(await fullImage(this.image.file)),
                await toBitmap(result)];
            if (work !== this.work)
                return;
            this.shown = { settings, result, after };
            this.viewer.show({ before });
            this.showAfter();
        } catch (error) {
            this.failed(error);
        } finally {
            if (work === this.work)
                this.setBusy(false);
        }
    }

    updateScale() {
        const { image, shown, settings } = this;
        const isFull = shown?.settings === settings && shown.result.width === image?.width;
        byId('scale-note').hidden = !this.isScaled || isFull;
        if (this.isScaled)
            byId('scale-text').textContent =
                `Preview at ${Math.round(100 * image.preview.width / image.width)} %`;
    }

    // Showing.

    showAfter() {
        const labels = byId('show-labels').checked && this.tab === 'learned' && this.learned;
        const after = labels ? this.learnedPanel.labelImage() : this.shown?.after ?? null;
        const transparent = Boolean(this.shown) && channelsOf(this.shown.result) % 2 === 0;
        byId('after').textContent = labels ? 'Labels' : 'After';
        this.viewer.show({ after, transparent });
        this.updateScale();
    }

    showMarks() {
        const { settings, tab } = this, selecting = tab === 'select';
        const overlay = selecting && byId('overlay').checked && hasSelection(settings) &&
            this.overlay?.strokes === settings.strokes;
        this.viewer.show({ strokes: selecting ? settings.strokes : [],
            region: selecting || tab === 'learned' ? settings.region : null,
            overlay: overlay ? this.overlay.canvas : null });
    }

    /** Shows what a tab of the panel is about. */
    showTab(tab) {
        this.tab = tab;
        if (tab !== 'select')
            this.select.choose('hand');
        this.viewer.show({ highlight: null });
        this.showMarks();
        this.showAfter();
        if (tab === 'learned' && this.image && this.learned?.settings !== this.settings)
            this.recompute();
    }

    /* The pointer is at a pixel of the full image, or at none. */
    point(pixel) {
        if (this.tab !== 'learned' || !pixel || this.learned?.settings !== this.settings)
            return;
        const { preview, width, height } = this.image;
        const x = Math.min(preview.width - 1, Math.floor(pixel.x * preview.width / width));
        const y = Math.min(preview.height - 1, Math.floor(pixel.y * preview.height / height));
        const window = this.learnedPanel.pointAtPixel(x, y);
        const factor = width / preview.width;
        this.viewer.show({ highlight: window && { x: window.x * factor, y: window.y * factor,
            width: window.width * factor, height: window.height * factor } });
    }
}

/* A rectangle of a shared address may lie outside of another image. */
function checkedRegion(settings, image) {
    const { region } = settings;
    return region && !isInside(region, image) ? { ...settings, region: null } : settings;
}
