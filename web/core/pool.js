// SPDX-License-Identifier: BSD-2-Clause
// A pool of workers, each with its own instance of the module. Workers that share no memory cannot
// be told to stop while they compute, so cancelling ends a busy worker and starts another.
import { CofError, unpackError } from './errors.js';
import { nodeModule } from './node_module.js';

// A worker that has more memory than this after a task is replaced, since memory never shrinks.
const MAX_IDLE_MEMORY = 512 * 2 ** 20;

// Larger memory is not kept for the next call.
const MAX_SPARE = 2 ** 24;

const isNode = typeof process === 'object' && Boolean(process.versions?.node);

/** Starts a worker of a browser or of node; both with the same few methods. */
async function startThread(address) {
    if (isNode) {
        const { Worker: Thread } = await nodeModule('worker_threads');
        const thread = new Thread(address.text ?? address.url,
            address.text === undefined ? {} : { eval: true });
        thread.unref();
        return {
            post: (message, transfer) => thread.postMessage(message, transfer),
            listen: (receive, fail) => thread.on('message', receive).on('error', fail),
            end: () => thread.terminate(),
            hold: (busy) => (busy ? thread.ref() : thread.unref()),
        };
    }
    const thread = new Worker(address.url, address.text === undefined ? { type: 'module' } : {});
    return {
        post: (message, transfer) => thread.postMessage(message, transfer),
        listen: (receive, fail) => {
            thread.addEventListener('message', ({ data }) => receive(data));
            thread.addEventListener('error', fail);
        },
        end: () => thread.terminate(),
        hold: () => {},
    };
}

/** Where workers get their code: { url }, and { text } if it is inlined. */
export function workerAddress(worker) {
    if (worker?.source === undefined) {
        return { url: worker ?? new URL('./worker.js', import.meta.url) };
    }
    if (isNode) {
        return { text: worker.source };
    }
    const blob = new Blob([worker.source], { type: 'text/javascript' });
    return { text: worker.source, url: URL.createObjectURL(blob) };
}

/** One worker. It starts when it is made; tasks wait until it is ready. */
export class PoolWorker {
    constructor(address, module) {
        this.memory = 0;
        this.task = null;
        this.ready = this.start(address, module);
        this.ready.catch(() => {}); // the first task reports it
    }

    async start(address, module) {
        const thread = await startThread(address);
        if (this.ended) {
            thread.end();
            throw new CofError('cancelled', 'the worker was ended');
        }
        this.thread = thread;
        thread.hold(true);
        await new Promise((resolve, reject) => {
            const fail = (error) => {
                this.broken = true;
                const found = new CofError('internal',
                    `the worker failed: ${error?.message ?? 'it could not be started'}`);
                reject(found);
                this.finish({ error: found });
            };
            thread.listen((message) => {
                if (message.ready === true) {
                    resolve();
                } else if (message.ready === false) {
                    reject(unpackError(message.error));
                } else {
                    this.receive(message);
                }
            }, fail);
            thread.post({ module });
        });
        thread.hold(false);
        this.isReady = true;
    }

    receive(message) {
        this.memory = message.memory ?? this.memory;
        if (!this.task || message.id !== this.task.id) {
            return;
        }
        if (message.progress !== undefined) {
            this.task.onProgress(message.progress, message.stage);
        } else {
            const error = message.error && unpackError(message.error);
            this.broken ||= error?.status === 'internal';
            this.finish({ answer: message.answer, error });
        }
    }

    finish({ answer, error }) {
        const task = this.task;
        this.task = null;
        this.thread?.hold(false);
        if (error) {
            task?.reject(error);
        } else {
            task?.resolve(answer);
        }
        this.onIdle?.();
    }

    /** Runs a task: { id, onProgress, message, transfer, resolve, reject }. It is sent at once if the
     * worker is ready: the worker begins while the caller prepares the next task. */
    async run(task) {
        this.task = task;
        try {
            if (!this.isReady) {
                await this.ready;
            }
            if (this.task !== task) {
                return;
            }
            this.thread.hold(true);
            this.thread.post(task.message, task.transfer);
        } catch (error) {
            this.broken = true;
            this.finish({ error });
        }
    }

    /** Connects it to the worker at a place of the pool. */
    async connect(place, port) {
        try {
            await this.ready;
            this.thread.post({ peer: place, port }, [port]);
        } catch {
            // it has failed or was ended, and will be replaced
        }
    }

    end() {
        this.ended = true;
        this.thread?.end();
    }
}

export class Pool {
    constructor(size, newWorker) {
        this.newWorker = newWorker;
        this.queue = [];
        this.count = 0;
        this.spares = [];
        this.connected = 0;
        this.workers = Array.from({ length: size }, () => this.addWorker());
    }

    addWorker() {
        const worker = this.newWorker();
        worker.onIdle = () => this.dispatch();
        return worker;
    }

    /** `job` identifies the call, for cancel(). With a `place`, the task waits for the worker with
     * that index. */
    run(job, message, transfer, onProgress, place) {
        const id = ++this.count;
        return new Promise((resolve, reject) => {
            this.queue.push({ id, job, message: { ...message, id }, transfer, onProgress, place,
                              resolve, reject });
            this.dispatch();
        });
    }

    /** The next task that a worker can run. */
    nextTask(index) {
        const at = this.queue.findIndex(({ place }) => place === undefined || place === index);
        return at < 0 ? undefined : this.queue.splice(at, 1)[0];
    }

    dispatch() {
        if (this.closed) {
            return;
        }
        this.workers.forEach((worker, i) => {
            if (worker.task === null && (worker.broken || worker.memory > MAX_IDLE_MEMORY)) {
                this.replace(i);
            }
        });
        this.workers.forEach((worker, i) => {
            const task = worker.task === null ? this.nextTask(i) : undefined;
            if (task) {
                worker.run(task);
            }
        });
    }

    /** Memory that an earlier call no longer needs, if there is some of about that size: new memory
     * takes longer to fill. */
    takeSpare(size) {
        const at = this.spares.findIndex(({ byteLength }) =>
            byteLength >= size && byteLength <= 2 * size);
        return at < 0 ? undefined : this.spares.splice(at, 1)[0];
    }

    /** Keeps the memory of the last strips. */
    keepSpare(buffer) {
        if (buffer?.byteLength <= MAX_SPARE) {
            this.spares.push(buffer);
            this.spares.splice(0, this.spares.length - this.workers.length);
        }
    }

    replace(i) {
        this.workers[i].end();
        this.workers[i] = this.addWorker();
        this.connectToOthers(i);
    }

    connectToOthers(i) {
        for (let j = 0; i < this.connected && j < this.connected; j++) {
            if (j !== i) {
                const { port1, port2 } = new MessageChannel();
                this.workers[i].connect(j, port1);
                this.workers[j].connect(i, port2);
            }
        }
    }

    /** Connects the first workers with each other. Tasks in which they wait for each other must be added
     * at once: then no two calls can wait for each other, since workers do their tasks in order. */
    connect(count) {
        while (this.connected < count) {
            this.connected++;
            this.connectToOthers(this.connected - 1);
        }
    }

    /** Drops the tasks of a call; workers that compute one are replaced. */
    cancel(job, reason) {
        const dropped = this.queue.filter((task) => task.job === job);
        this.queue = this.queue.filter((task) => task.job !== job);
        this.workers.forEach((worker, i) => {
            if (worker.task?.job === job) {
                dropped.push(worker.task);
                this.replace(i);
            }
        });
        dropped.forEach((task) => task.reject(reason));
        this.dispatch();
    }

    close(reason) {
        this.closed = true;
        this.spares = [];
        const tasks = [...this.queue, ...this.workers.map((worker) => worker.task)];
        this.queue = [];
        this.workers.forEach((worker) => worker.end());
        tasks.forEach((task) => task?.reject(reason));
    }
}
