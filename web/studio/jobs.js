// SPDX-License-Identifier: BSD-2-Clause
// Work that takes a while: one job at a time, with progress and a button that cancels it. A new job
// replaces the one before.

const SHOW_AFTER_MS = 250;
const byId = (id) => document.getElementById(id);

let running = null;

function show(job, done, stage) {
    if (job !== running)
        return;
    if (done < 1)
        byId('bar').value = done;
    else
        byId('bar').removeAttribute('value'); // the rest takes an unknown time
    byId('stage-name').textContent = stage;
}

function start(title) {
    cancel();
    const job = { controller: new AbortController() };
    running = job;
    show(job, 0, title);
    job.timer = setTimeout(() => { byId('progress').hidden = false; }, SHOW_AFTER_MS);
    return job;
}

function finish(job) {
    clearTimeout(job.timer);
    if (job !== running)
        return;
    running = null;
    byId('progress').hidden = true;
}

/** Cancels the job that is running, if there is one. */
export function cancel() {
    if (!running)
        return false;
    const job = running;
    job.controller.abort(new DOMException('Cancelled', 'AbortError'));
    finish(job);
    return true;
}

/** Whether an error only says that a job was cancelled. */
export function isCancelled(error) {
    return error.name === 'AbortError' || error.status === 'cancelled';
}

/** Runs work({signal, onProgress}) and resolves to its result. */
export async function runJob(title, work) {
    const job = start(title);
    const { signal } = job.controller;
    try {
        const result = await work({ signal,
            onProgress: (done, stage) => show(job, done, stage ? `${title}: ${stage}` : title) });
        signal.throwIfAborted();
        return result;
    } finally {
        finish(job);
    }
}
