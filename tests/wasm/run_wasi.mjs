// SPDX-License-Identifier: BSD-2-Clause
// Runs a WebAssembly program of WASI with this process's arguments, environment and files. Paths
// must be absolute.
// Usage: node --no-warnings run_wasi.mjs PROGRAM.wasm [ARGUMENT]...
import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({
    version: 'preview1',
    args: argv.slice(2),
    env,
    preopens: { '/': '/' },
    returnOnExit: true,
});

// Node 20 crashes if a program calls the functions of WASI directly after its memory has grown.
function called(functions) {
    return Object.fromEntries(Object.entries(functions)
        .map(([name, call]) => [name, (...values) => call(...values)]));
}

const module = await WebAssembly.compile(await readFile(argv[2]));
const { wasi_snapshot_preview1: functions } = wasi.getImportObject();
const imports = { wasi_snapshot_preview1: called(functions) };
exit(wasi.start(await WebAssembly.instantiate(module, imports)));
