// SPDX-License-Identifier: BSD-2-Clause
// One instance of the WebAssembly module: its memory, and calls that throw what went wrong.
import { CofError, statusWord } from './errors.js';

const ERRNO_BADF = 8;
const RGB_KIND = 2; // CofKind

// The few functions that the C library imports. There are no files and no environment. The clock is
// read often: for the progress of a call.
function wasiImports(memory) {
    const clock = globalThis.performance;
    let words = new Uint32Array(0);
    const write = (address, value) => {
        if (words.length === 0) { // also after memory has grown
            words = new Uint32Array(memory().buffer);
        }
        words[address >>> 2] = value;
    };
    return {
        environ_get: () => 0,
        environ_sizes_get: (count, size) => {
            write(count, 0);
            write(size, 0);
            return 0;
        },
        clock_time_get: (id, precision, time) => {
            const nanoseconds = Math.round(clock.now() * 1e6);
            write(time, nanoseconds % 2 ** 32);
            write(time + 4, Math.floor(nanoseconds / 2 ** 32));
            return 0;
        },
        random_get: (buffer, size) => {
            globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, buffer, size));
            return 0;
        },
        proc_exit: (code) => {
            throw new Error(`exit ${code}`);
        },
    };
}

// Whatever else is imported, such as writing to a file, fails.
function completed(imports, module) {
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        imports[from] ??= {};
        imports[from][name] ??= () => ERRNO_BADF;
    }
    return imports;
}

export class Instance {
    constructor() {
        this.share = { start: 0, size: 1 }; // of a task, that the current call computes
        this.onProgress = () => {};         // receives the finished share of a task
        this.stage = undefined;             // of a task that has several
    }

    static async create(module) {
        const made = new Instance();
        const imports = {
            cof: { progress: (done) => (made.tellProgress(done), 0) },
            wasi_snapshot_preview1: wasiImports(() => made.c.memory),
        };
        const instance = await WebAssembly.instantiate(module, completed(imports, module));
        made.c = instance.exports;
        made.c._initialize();
        made.c.options_init();
        return made;
    }

    tellProgress(done) {
        const { start, size } = this.share;
        if (size > 0) {
            this.onProgress(start + done * size);
        }
    }

    /** Calls a function that computes a share of what the caller computes. */
    inShare(start, size, use) {
        const outer = this.share;
        this.share = { start: outer.start + start * outer.size, size: size * outer.size };
        try {
            return use();
        } finally {
            this.share = outer;
        }
    }

    /** Calls a function for each item; each takes about the same time. */
    inSteps(items, use) {
        const size = 1 / items.length;
        items.forEach((item, i) => this.inShare(i * size, size, () => use(item)));
    }

    /** Calls a function that takes too little time to report progress. */
    quietly(use) {
        return this.inShare(0, 0, use);
    }

    get memorySize() {
        return this.c.memory.buffer.byteLength;
    }

    get heap() {
        return new Uint8Array(this.c.memory.buffer);
    }

    /** A text that ends with 0; undefined for NULL. */
    text(address) {
        if (!address) {
            return undefined;
        }
        const heap = this.heap;
        const start = address >>> 0;
        return new TextDecoder().decode(heap.slice(start, heap.indexOf(0, start)));
    }

    /** A copy of an array in memory. */
    array(Type, address, length) {
        const start = address >>> 0;
        return new Type(this.c.memory.buffer.slice(start, start + length * Type.BYTES_PER_ELEMENT));
    }

    /** The bytes of the last file that was saved; in a `buffer`, if it is large enough. */
    bytes(buffer) {
        const [start, size] = [this.c.bytes() >>> 0, this.c.bytes_size()];
        if (!(buffer?.byteLength >= size)) {
            return this.array(Uint8Array, start, size);
        }
        const bytes = new Uint8Array(buffer, 0, size);
        bytes.set(this.heap.subarray(start, start + size));
        return bytes;
    }

    problem() {
        return new CofError(statusWord(this.c.problem_status()), this.text(this.c.problem_text()), {
            option: this.text(this.c.problem_option()),
            argument: this.text(this.c.problem_argument()),
        });
    }

    /** Throws unless a status is 0. */
    check(status) {
        if (status !== 0) {
            throw this.problem();
        }
    }

    /** Throws if a pointer is NULL. */
    made(address) {
        if (!address) {
            throw this.problem();
        }
        return address >>> 0;
    }

    newScope() {
        return new Scope(this);
    }

    /** Calls a function with a Scope; what was taken there is freed afterwards. */
    scope(use) {
        const scope = this.newScope();
        try {
            return use(scope);
        } finally {
            scope.release();
        }
    }

    /** Copies options from another instance of the module. */
    setOptions(bytes) {
        this.heap.set(bytes, this.c.options_data() >>> 0);
    }

    getOptions() {
        return this.array(Uint8Array, this.c.options_data(), this.c.options_size());
    }

    /** Read once, since that takes longer than the rest of a report. */
    #stageNames() {
        if (!this.stageNames) {
            this.stageNames = [];
            for (let i = 0, name; (name = this.text(this.c.stage_name(i))); i++) {
                this.stageNames.push(name);
            }
        }
        return this.stageNames;
    }

    report() {
        const c = this.c;
        const stages = Object.fromEntries(this.#stageNames().map((name, i) =>
            [name, c.report_seconds(i)]));
        const change = Array.from({ length: c.report_passes() }, (_, i) => c.report_change(i));
        return { passes: c.report_passes(), change, stages, fastTerms: c.report_fast_terms(),
                 fastCell: c.report_fast_cell() };
    }
}

// Memory and objects of one task.
class Scope {
    constructor(instance) {
        this.instance = instance;
        this.ends = [];
    }

    release() {
        for (const end of this.ends.reverse()) {
            end();
        }
    }

    /** Frees an object at the end: own(pointer, 'model_free'). */
    own(address, free) {
        const made = this.instance.made(address);
        this.ends.push(() => this.instance.c[free](made));
        return made;
    }

    take(size) {
        const address = this.instance.c.alloc(size) >>> 0;
        if (!address) {
            throw new CofError('memory', 'not enough memory');
        }
        this.ends.push(() => this.instance.c.free(address));
        return address;
    }

    /** Copies an array into memory. */
    put(array) {
        const address = this.take(array.byteLength);
        const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        this.instance.heap.set(bytes, address);
        return address;
    }

    text(string) {
        return this.put(new TextEncoder().encode(`${string}\0`));
    }

    /** A WebImage with pixels at an address. The order of the fields is that of web_views.h. */
    view(image, data, valid = 0) {
        return this.put(new Int32Array([data, valid, image.width, image.height, image.channels,
            image.kind, image.sample, image.x, image.y, image.fullWidth,
            image.fullHeight]));
    }

    /** Copies an image into memory, an opaque one without its alpha; 0 for none. */
    image(image) {
        return image ? this.knownImage(image).view : 0;
    }

    /** The same: { view, image }, with the image as the library sees it. Of one that is not known to
     * be opaque or not (undefined), this finds out. */
    knownImage(image) {
        const data = this.put(image.data);
        let known = image;
        if (image.opaque !== false) {
            const opaque = this.instance.c.rgba_to_rgb(data, image.width * image.height) === 1;
            known = opaque ? { ...image, opaque, kind: RGB_KIND, channels: 3 } : { ...image, opaque };
        }
        return { view: this.view(known, data, image.valid ? this.put(image.valid) : 0),
                 image: known };
    }

    /** An image to be written. read() copies it; readInto() copies it into an array that a message
     * brought and that is no longer needed, since new memory takes longer to fill. */
    output(image) {
        const pixels = image.width * image.height;
        const size = pixels * bytesPerPixel(image);
        const data = this.take(size);
        const finish = () => {
            if (image.opaque) {
                this.instance.c.rgb_to_rgba(data, pixels);
            }
        };
        const read = (Type = Uint8Array) => {
            finish();
            return this.instance.array(Type, data, size / Type.BYTES_PER_ELEMENT);
        };
        const readInto = (given) => {
            finish();
            const bytes = new Uint8Array(given.buffer, 0, size);
            bytes.set(this.instance.heap.subarray(data, data + size));
            return given.subarray(0, size / given.BYTES_PER_ELEMENT);
        };
        return { view: this.view(image, data), read, readInto };
    }

    roi({ region, part, mask, downscaled } = {}) {
        const rect = (r) => (r ? [r.x, r.y, r.width, r.height] : [0, 0, 0, 0]);
        return this.put(new Int32Array([...rect(region), ...rect(part), this.image(mask),
            downscaled ? 1 : 0]));
    }

    stats(bytes) {
        return this.own(this.instance.c.stats_load(this.put(bytes), bytes.length), 'stats_free');
    }

    model(bytes) {
        const load = () => this.instance.c.model_load(this.put(bytes), bytes.length);
        return this.own(this.instance.quietly(load), 'model_free');
    }

    /** The models of the foreground and the background. */
    pair(bytes) {
        const { c } = this.instance;
        const models = this.put(new Int32Array(2));
        this.instance.quietly(() =>
            this.instance.check(c.pair_load(models, this.put(bytes), bytes.length)));
        return [...this.instance.array(Int32Array, models, 2)].map((m) => this.own(m, 'model_free'));
    }
}

const SAMPLE_BYTES = [1, 2, 4];

function bytesPerPixel(image) {
    return image.opaque ? 4 : image.channels * SAMPLE_BYTES[image.sample];
}
