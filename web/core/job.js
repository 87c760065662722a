// SPDX-License-Identifier: BSD-2-Clause
// One call: its tasks, its progress, its cancellation and its report.
import { CofError } from './errors.js';

let jobCount = 0;

export class Job {
    /** `options` are the bytes of a CofOptions; `parallel` the number of workers. */
    constructor(pool, options, run = {}, parallel = 1) {
        this.pool = pool;
        this.options = options;
        this.run = run ?? {};
        this.parallel = parallel;
        this.key = ++jobCount;
        this.started = performance.now();
        this.units = 0;
        this.done = 0;
        this.shown = 0;
        this.strips = 1;
        this.reports = [];
    }

    /** Runs the steps of the call; rejects at once if the signal is aborted. */
    async perform(steps) {
        const { signal } = this.run;
        signal?.throwIfAborted();
        let abort;
        const aborted = new Promise((_, reject) => {
            abort = () => {
                this.aborted = true;
                this.pool.cancel(this, signal.reason);
                reject(signal.reason);
            };
        });
        aborted.catch(() => {});
        signal?.addEventListener('abort', abort, { once: true });
        try {
            const result = await Promise.race([steps(), aborted]);
            this.advance(this.units, 'store');
            return result;
        } catch (error) {
            this.aborted = true;
            this.pool.cancel(this, error); // the other tasks of a call that has failed
            throw error;
        } finally {
            signal?.removeEventListener('abort', abort);
        }
    }

    /** Says how many units of work all tasks together will have. */
    plan(units) {
        this.units = units;
    }

    /** Runs one task on some worker, or on the one at a `place`. */
    async task(name, message,
               { units = 0, transfer = [], stage = name, options, report, place } = {}) {
        if (this.aborted) {
            throw new CofError('cancelled', 'the call was cancelled');
        }
        let last = 0;
        const onProgress = (done, current) => {
            this.advance((done - last) * units, current ?? stage);
            last = done;
        };
        const answer = await this.pool.run(this, {
            task: name, message, options: options ?? this.options,
            report: report ?? Boolean(this.run.report), isWatched: Boolean(this.run.onProgress),
        }, transfer, onProgress, place);
        onProgress(1);
        return answer;
    }

    advance(units, stage) {
        this.done += units;
        const share = Math.min(this.done / Math.max(this.units, 1e-9), 1);
        if (!this.aborted && share > this.shown) {
            this.shown = share;
            this.run.onProgress?.(share, stage);
        }
    }

    addReport(report, pixels) {
        if (report) {
            this.reports.push({ ...report, pixels });
        }
    }

    report() {
        return {
            ...combineReports(this.reports),
            seconds: (performance.now() - this.started) / 1000,
            strips: this.strips,
            memory: this.pool.workers.map((worker) => worker.memory),
        };
    }
}

/** The mean change of each pass over the parts of an image. */
function meanChange(reports) {
    const passes = Math.max(0, ...reports.map((one) => one.change.length));
    const pixels = reports.reduce((sum, one) => sum + one.pixels, 0);
    return Array.from({ length: passes }, (_, i) =>
        reports.reduce((sum, one) => sum + (one.change[i] ?? 0) * one.pixels, 0) / pixels);
}

function combineReports(reports) {
    const parts = reports.filter((one) => one.passes > 0); // others refine
    const stages = {};
    for (const { stages: some } of reports) {
        for (const [name, seconds] of Object.entries(some)) {
            stages[name] = (stages[name] ?? 0) + seconds;
        }
    }
    const most = (name) => Math.max(0, ...parts.map((one) => one[name]));
    return { passes: most('passes'), change: meanChange(parts), stages,
             fastTerms: most('fastTerms'), fastCell: most('fastCell') };
}
