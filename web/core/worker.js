// SPDX-License-Identifier: BSD-2-Clause
// A worker: runs tasks on its own instance of the module, one after the other.
import { packError } from './errors.js';
import { Instance } from './instance.js';
import { nodeModule } from './node_module.js';
import { tasks, WorkerState } from './tasks.js';

// Progress is sent after so many milliseconds, or so large a share of the task.
const PROGRESS_INTERVAL = 40;
const PROGRESS_STEP = 0.1;

function buffersIn(answer) {
    return Object.values(answer).filter((value) => ArrayBuffer.isView(value))
        .map((value) => value.buffer);
}

function serve(port, listen) {
    const state = new WorkerState();
    let instance;

    const watch = (id, isWatched) => {
        instance.stage = undefined;
        instance.onProgress = () => {};
        if (!isWatched) {
            return;
        }
        let last = performance.now();
        let sent = 0;
        instance.onProgress = (done) => {
            const now = performance.now();
            if (now - last >= PROGRESS_INTERVAL || done - sent >= PROGRESS_STEP) {
                last = now;
                sent = done;
                port.postMessage({ id, progress: done, stage: instance.stage });
            }
        };
    };

    const run = async ({ id, task, options, report, isWatched, message }) => {
        try {
            watch(id, isWatched);
            instance.c.report_want(report ? 1 : 0);
            instance.setOptions(options);
            const answer = await tasks[task](instance, state, message);
            instance.c.session_clear();
            port.postMessage({ id, answer, memory: instance.memorySize }, buffersIn(answer));
        } catch (error) {
            const packed = packError(error);
            port.postMessage({ id, error: packed, memory: instance.memorySize });
        }
    };

    listen(async (message) => {
        if (message.port) {
            state.peers.add(message.peer, message.port);
            return;
        }
        if (!message.module) {
            run(message);
            return;
        }
        try {
            instance = await Instance.create(message.module);
            port.postMessage({ ready: true });
        } catch (error) {
            port.postMessage({ ready: false, error: packError(error) });
        }
    });
}

if (typeof process === 'object' && process.versions?.node) {
    nodeModule('worker_threads').then(({ parentPort }) =>
        serve(parentPort, (receive) => parentPort.on('message', receive)));
} else {
    serve(self, (receive) => self.addEventListener('message', ({ data }) => receive(data)));
}
