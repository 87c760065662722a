// SPDX-License-Identifier: BSD-2-Clause
// Makes the package: node build.mjs FOLDER SIMD.wasm PLAIN.wasm
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundle } from './bundle.mjs';
import { Instance } from './instance.js';
import { readOptionTable } from './options.js';

const here = dirname(fileURLToPath(import.meta.url));
const [folder, simd, plain] = process.argv.slice(2);

/** The types of the options, from the table of the library. */
function optionTypes(table) {
    const type = { integer: () => 'number', number: () => 'number', seed: () => 'number | bigint',
                   choice: ({ choices }) => choices.map((word) => `'${word}'`).join(' | ') };
    const range = ({ type: t, min, max, automatic }) => (t === 'choice' || t === 'seed' ? ''
        : `, ${min} to ${max}${automatic && `; 0 = ${automatic}`}`);
    const initial = (info) => (info.default === undefined ? '' : `; default ${info.default}`);
    const lines = table.flatMap((info) => [
        `    /** ${info.help}${range(info)}${initial(info)} */`,
        `    ${info.name}?: ${type[info.type](info)};`]);
    // REUSE-IgnoreStart
    return ['// SPDX-License-Identifier: BSD-2-Clause', '// Made from the option table of libcof.',
        'export interface Options {', ...lines, '}', ''].join('\n');
    // REUSE-IgnoreEnd
}

const module = await WebAssembly.compile(readFileSync(plain));
const instance = await Instance.create(module);
const version = instance.c.version();
mkdirSync(folder, { recursive: true });
const write = (name, text) => writeFileSync(join(folder, name), text);
write('cof.js', bundle(join(here, 'cof.js'), ['Cof', 'CofError', 'Model']));
write('worker.js', bundle(join(here, 'worker.js')));
write('options.d.ts', optionTypes(readOptionTable(instance)));
write('package.json', readFileSync(join(here, 'package.json'), 'utf8').replace('"0.0.0"',
    `"${version >>> 16}.${(version >>> 8) & 255}.${version & 255}"`));
copyFileSync(join(here, 'cof.d.ts'), join(folder, 'cof.d.ts'));
copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(here, '..', '..', 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(simd, join(folder, 'cof.wasm'));
copyFileSync(plain, join(folder, 'cof-plain.wasm'));
