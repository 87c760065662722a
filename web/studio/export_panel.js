// SPDX-License-Identifier: BSD-2-Clause
// Saving: images, the model, the mask, batches; and the lines that do the same elsewhere.
import { forAnotherImage } from './settings.js';
import { commandOf, lines, relatedName } from './compute.js';
import { encodeImage, zip } from './pixels.js';
import { loadPreferences, savePreferences } from './preferences.js';
import { showError, showInfo, sentence } from './messages.js';
import { isCancelled, runJob } from './jobs.js';
import { OptionField } from './option_field.js';

const SUFFIXES = { png: 'png', jpeg: 'jpg', webp: 'webp' };
const QUALITY = { name: 'quality', label: 'Quality', type: 'integer', automatic: '', choices: [],
    help: '1 to 100' };
const REVOKE_MS = 60000;
const byId = (id) => document.getElementById(id);

function download(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}

async function copy(text, button) {
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    } catch {
        showError('The browser does not let the page copy. Select the text and copy it yourself.');
    }
}

export class ExportPanel {
    /** The studio computes: full(run), model(run), mask(run), fullOf(file, settings, run). */
    constructor(studio) {
        this.studio = studio;
        const { preferences, denied } = loadPreferences();
        this.preferences = preferences;
        if (denied)
            showInfo('This browser denies the page storage: the export format is not remembered.');
        byId('format').value = preferences.format;
        byId('format').onchange = (event) => this.prefer({ format: event.target.value });
        this.addQuality();
        this.watchButtons();
        this.showQuality();
    }

    addQuality() {
        const { quality } = this.preferences;
        const field = new OptionField(QUALITY, { slider: { min: 1, max: 100, step: 1 },
            change: (value) => {
                if (!(Number.isInteger(value) && value >= 1 && value <= 100))
                    return 'The quality is a whole number from 1 to 100.';
                this.prefer({ quality: value });
                field.update(value, false);
                return null;
            } });
        field.update(quality, false);
        byId('quality').append(field.root);
    }

    watchButtons() {
        byId('save').onclick = byId('save-image').onclick = () => this.saveImage();
        byId('save-model').onclick = () => this.saveModel();
        byId('save-mask').onclick = () => this.saveMask();
        byId('save-zip').onclick = () => this.saveAll(true);
        byId('save-each').onclick = () => this.saveAll(false);
        byId('copy-command').onclick = (event) => copy(byId('command').textContent, event.target);
        byId('copy-python').onclick = (event) => copy(byId('python').textContent, event.target);
        byId('copy-link').onclick = async () => {
            await copy(location.href, { set textContent(_) {} });
            showInfo(this.studio.builtIn ? 'The address has been copied.'
                : 'The address has been copied. It holds the settings, not your image.');
        };
    }

    prefer(part) {
        Object.assign(this.preferences, part);
        savePreferences(this.preferences);
        this.showQuality();
        this.updateLines();
    }

    showQuality() {
        byId('quality').hidden = this.preferences.format === 'png';
    }

    /* The format to save in; JPEG cannot be transparent. */
    formatFor(settings) {
        const transparent = commandOf(settings) === 'focus' && settings.effect === 'transparent';
        return transparent && this.preferences.format === 'jpeg' ? 'png' : this.preferences.format;
    }

    nameFor({ name }, settings) {
        return relatedName(name, `cof.${SUFFIXES[this.formatFor(settings)]}`);
    }

    // Lines.

    updateLines() {
        const { image, settings, cof } = this.studio;
        const format = this.formatFor(settings);
        const shown = image ?? { name: 'photo.jpg', width: 400, height: 400 };
        const { command, python, note } = lines(cof, settings, shown, SUFFIXES[format]);
        byId('command').textContent = command;
        byId('python').textContent = python;
        byId('line-note').textContent = this.notes(note, settings, image).join(' ');
    }

    notes(note, settings, image) {
        const notes = note ? [note] : [];
        if (image?.bits > 8)
            notes.push(`The file has ${image.bits} bits per channel; the page reads 8, the ` +
                'command and Python read all.');
        if (this.preferences.format === 'jpeg' && this.formatFor(settings) === 'png')
            notes.push('JPEG cannot be transparent, so a PNG file is saved.');
        return notes;
    }

    // Saving.

    /* Lets the preview finish first: its result may be what is saved. */
    async attempt(title, work) {
        await this.studio.computing;
        try {
            await runJob(title, work);
        } catch (error) {
            if (!isCancelled(error))
                showError(`Nothing was saved: ${sentence(error.message)}`);
        }
    }

    encoded(result, settings) {
        return encodeImage({ data: result.data, width: result.width, height: result.height },
            this.formatFor(settings), this.preferences.quality / 100);
    }

    saveImage() {
        const { image, settings } = this.studio;
        const name = this.nameFor(image, settings);
        return this.attempt('Saving', async (run) => {
            const result = await this.studio.full(run);
            run.onProgress(1, 'writing');
            const blob = await this.encoded(result, settings);
            run.signal.throwIfAborted();
            download(blob, name);
            this.tellRun(result);
        });
    }

    /* What the last image took. */
    tellRun({ width, height, report }) {
        const memory = report.memory.map((bytes) => Math.round(bytes / 1e6)).join(' and ');
        byId('last-run').textContent = `${(width * height / 1e6).toFixed(1)} megapixels in ` +
            `${report.seconds.toFixed(1)} s; memory of the workers: ${memory} MB.`;
    }

    saveModel() {
        const { image } = this.studio;
        return this.attempt('Learning', async (run) => {
            const model = await this.studio.model(run);
            download(new Blob([model.bytes], { type: 'application/octet-stream' }),
                relatedName(image.name, 'model.cof'));
        });
    }

    saveMask() {
        const { image } = this.studio;
        return this.attempt('Selecting', async (run) => {
            const mask = await this.studio.mask(run);
            download(await encodeImage(mask, 'png'), relatedName(image.name, 'mask.png'));
        });
    }

    // Batches.

    updateBatch(files, current) {
        byId('batch').hidden = files.length < 2;
        byId('batch-title').textContent = `${files.length} images`;
        byId('batch-list').replaceChildren(...files.map((file) => {
            const item = document.createElement('li'), button = document.createElement('button');
            button.type = 'button';
            button.textContent = file.name;
            button.setAttribute('aria-current', file === current);
            button.onclick = () => this.studio.openImage(file);
            item.append(button);
            return item;
        }));
    }

    /* Strokes and the rectangle belong to one image; the others get preset, options and model. */
    async saveAll(asZip) {
        const { files } = this.studio, settings = forAnotherImage(this.studio.settings);
        const made = [], failed = [];
        await this.attempt('Saving', async (run) => {
            for (const [i, file] of files.entries()) {
                run.signal.throwIfAborted();
                const part = { signal: run.signal, onProgress: (done) =>
                    run.onProgress((i + done) / files.length, `${i + 1} of ${files.length}`) };
                try {
                    const blob = await this.encoded(
                        await this.studio.fullOf(file, settings, part), settings);
                    const name = this.nameFor(file, settings);
                    asZip ? made.push({ name, blob }) : download(blob, name);
                } catch (error) {
                    if (isCancelled(error))
                        throw error;
                    failed.push(`${file.name}: ${error.message}`);
                }
            }
            if (made.length > 0)
                download(await zip(made), 'cof.zip');
        });
        for (const text of failed)
            showError(`Left out: ${text}.`);
    }
}
