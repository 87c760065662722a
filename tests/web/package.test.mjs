// SPDX-License-Identifier: BSD-2-Clause
// The package is installed from its archive into an empty folder, and its README runs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { packageFolder, path } from './helpers.mjs';

function hasNpm() {
    try {
        execFileSync('npm', ['--version'], { stdio: 'pipe' });
        return true;
    } catch {
        return false;
    }
}

/** npm, or what it does with a package that has no dependencies: it unpacks the files. */
function install(target) {
    const { files } = JSON.parse(readFileSync(`${packageFolder}/package.json`));
    const run = (...command) => execFileSync(command[0], command.slice(1), { cwd: target,
        env: { ...process.env, npm_config_cache: path('cache') }, stdio: 'pipe' });
    if (hasNpm()) {
        run('npm', 'pack', '--offline', packageFolder);
        const archive = readdirSync(target).find((name) => name.endsWith('.tgz'));
        run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${archive}`);
        return;
    }
    const folder = `${target}/node_modules/libcof`;
    mkdirSync(folder, { recursive: true });
    run('tar', '-cf', 'package.tar', '-C', packageFolder, 'package.json', ...files);
    run('tar', '-xf', 'package.tar', '-C', folder);
}

test('the package is installed and its README runs', () => {
    const target = path('empty');
    mkdirSync(target);
    writeFileSync(`${target}/package.json`, '{"name": "empty", "private": true, "type": "module"}');
    install(target);
    const readme = readFileSync(`${packageFolder}/README.md`, 'utf8');
    const [, code] = /```js\n(.*?)```/s.exec(readme);
    writeFileSync(`${target}/readme.js`, code);
    const printed = execFileSync(process.execPath, ['readme.js'], { cwd: target }).toString();
    assert.deepEqual(printed.split('\n'), ['64 48 12288', '32 2',
        'cof --preset texture photo.jpg smooth.png', '']);
});

test('it is small', () => {
    const size = ['cof.js', 'worker.js', 'cof.wasm', 'cof-plain.wasm'].reduce((sum, name) =>
        sum + gzipSync(readFileSync(`${packageFolder}/${name}`), { level: 9 }).length, 0);
    assert.ok(size < 350e3, `${size} bytes`);
});
