// SPDX-License-Identifier: BSD-2-Clause
// The JavaScript of docs/web.md runs, except for blocks that follow <!-- not run: REASON -->.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { packageFolder, path } from './helpers.mjs';

const page = readFileSync(new URL('../../docs/web.md', import.meta.url), 'utf8');

test('the examples of docs/web.md run one after the other', () => {
    const text = page.replace(/<!-- not run: [^>]*-->\s*```js\n.*?```/gs, '');
    const blocks = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
    assert.ok(blocks.length >= 4);
    const script = blocks.join('\n').replaceAll("from 'libcof'", `from '${packageFolder}/cof.js'`);
    writeFileSync(path('page.mjs'), script);
    execFileSync(process.execPath, [path('page.mjs')], { stdio: 'pipe' });
});

test('the page names all methods and errors', () => {
    const types = readFileSync(`${packageFolder}/cof.d.ts`, 'utf8');
    const body = types.slice(types.indexOf('export class Cof {'));
    const methods = [...body.matchAll(/^ {4}(?:static )?(\w+)\(/gm)].map(([, name]) => name);
    assert.ok(methods.length > 12);
    for (const name of methods) {
        assert.ok(page.includes(`${name}(`) || page.includes(`\`${name}\``), `${name}() is not on the page`);
    }
});
