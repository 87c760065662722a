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
const module = await WebAssembly.compile(await readFile(argv[2]));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
exit(wasi.start(instance));
