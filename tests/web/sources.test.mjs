// SPDX-License-Identifier: BSD-2-Clause
// Sources of the studio and of the package that need no WebAssembly: addresses, lines to copy, and
// the service worker.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';

const web = fileURLToPath(new URL('../../web', import.meta.url));
const { pythonLines, shellLine } = await import(pathToFileURL(join(web, 'core/lines.js')));

const folder = mkdtempSync(join(tmpdir(), 'cof-studio-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'package.json'), '{"type": "module"}'); // or node asks for .mjs
for (const name of ['fragment.js', 'settings.js', 'sw.js'])
    copyFileSync(join(web, 'studio', name), join(folder, name));
const { settingsFromFragment, settingsToFragment } =
    await import(pathToFileURL(join(folder, 'fragment.js')));

// Addresses

const option = (name, type, min, max) =>
    ({ name, type, min, max, odd: false, automatic: '', choices: [] });
const optionTable = [option('window', 'integer', 3, 255), option('seed', 'seed', 0, 2 ** 64),
    option('sigma', 'number', 0.1, 100), { ...option('preset', 'choice'), choices: ['texture'] }];
const read = (fragment) => settingsFromFragment(fragment, optionTable);

test('names that every object has are not settings', () => {
    for (const name of ['__proto__', '__defineGetter__', 'constructor', 'toString', 'valueOf']) {
        const { settings, ignored } = read(`#${name}=1&window=9`);
        assert.deepEqual(ignored, [name]);
        assert.deepEqual(settings.options, { window: 9 });
    }
});

test('wrong values are left out', () => {
    for (const field of ['seed=abc', 'seed=-1', 'seed=1.5', 'seed=', 'seed=%20', 'seed=1e30',
        'seed=NaN', 'seed=Infinity', 'seed=9007199254740993', 'window=abc', 'window=9.5', 'sigma=x',
        'preset=x', 'region=1,2', 'strokes=x', 'colour=red', 'effect=x', 'nothing=1']) {
        const { settings, ignored } = read(`#${field}`);
        assert.deepEqual([settings.options, ignored], [{}, [field.split('=')[0]]], field);
    }
});

test('settings come back from an address', () => {
    const fragment = 'preset=texture&window=9&seed=9007199254740991&sigma=0.5';
    const { settings, ignored } = read(`#${fragment}`);
    assert.deepEqual(settings.options, { window: 9, seed: Number.MAX_SAFE_INTEGER, sigma: 0.5 });
    assert.deepEqual(ignored, []);
    assert.equal(settingsToFragment(settings, ''), fragment);
});

// Lines to copy

const NAMES = ['a b.jpg', "a'b.jpg", 'a\\b.jpg', '$(x)`x`"!*~#;&.jpg', 'é\u202e😀.jpg', 'a\nb.jpg',
    "\u0003\u0015\r\u001b[2J\u007f1'\\.jpg", '\u0080\u009f\u009b1.jpg', '-x.jpg', '--in-place', '-',
    '-\u0007.jpg'];
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;

test('the shell reads the names that were meant', () => {
    const words = (line) => execFileSync('bash', ['-c', line.replace(/^cof/, "printf '%s\\0'")])
        .toString().split('\0').slice(0, -1);
    for (const name of NAMES) {
        const meant = name.startsWith('-') ? `./${name}` : name;
        const lines = { smooth: ['--mask', meant, '--learn-from', meant, meant, meant],
            learn: ['learn', '--mask', meant, meant, '-o', meant],
            apply: ['apply', meant, meant, meant],
            select: ['select', '--mask', meant, meant, '-o', meant],
            focus: ['focus', '--mask', meant, meant, meant] };
        for (const [command, expected] of Object.entries(lines)) {
            const line = shellLine([], { command, input: name, output: name, model: name,
                mask: name, from: name });
            assert.deepEqual(words(line), expected, JSON.stringify(name));
            assert.doesNotMatch(line, CONTROLS);
        }
    }
});

test('Python reads the names that were meant', () => {
    const script = 'import ast, json, sys; print(json.dumps([node.value for node in ast.walk(' +
        'ast.parse(sys.stdin.read())) if isinstance(node, ast.Constant)]))';
    for (const name of NAMES) {
        const lines = pythonLines([], { input: name, output: name });
        const found = JSON.parse(execFileSync('/usr/bin/python3', ['-c', script],
            { input: lines, env: { ...process.env, PYTHONUTF8: '1' } }));
        assert.deepEqual(found, [name, name]);
        assert.ok(lines.split('\n').every((line) => !CONTROLS.test(line)));
    }
});

// The service worker

/** Caches of the browser, as far as they are used: a Map of Maps. */
function fakeCaches() {
    const stored = new Map();
    const open = async (name) => {
        if (!stored.has(name))
            stored.set(name, new Map());
        const cache = stored.get(name);
        return { addAll: async (names) => names.forEach((one) => cache.set(one, 'installed')),
            put: async (address, response) => cache.set(address, response),
            match: async (address) => cache.get(address) };
    };
    return { stored, open, keys: async () => [...stored.keys()],
        delete: async (name) => stored.delete(name) };
}

/** A worker from files with this text, at a place of a host with these caches. */
function workerOf(text, caches, home) {
    copyFileSync(join(web, 'studio/sw.js'), join(folder, 'sw.js'));
    for (const name of ['index.html', 'cof.js', 'cof-plain.wasm'])
        writeFileSync(join(folder, name), text);
    execFileSync('/usr/bin/python3', ['-B', '-c', 'import pathlib, sys; import build; ' +
        'build.list_files(pathlib.Path(sys.argv[1]), sys.argv[2:])', folder,
    'index.html', 'cof.js', 'cof-plain.wasm', 'sw.js'], { env: { ...process.env,
        PYTHONPATH: join(web, 'studio') } });
    const listeners = {}, host = { online: true };
    const self = { addEventListener: (name, listener) => { listeners[name] = listener; },
        skipWaiting: async () => {}, clients: { claim: async () => {} } };
    runInNewContext(readFileSync(join(folder, 'sw.js'), 'utf8'), { self, caches, URL,
        location: new URL('sw.js', home), fetch: async ({ url }) => {
            if (!host.online)
                throw new TypeError('offline');
            return { ok: true, clone: () => `${text} of ${url}` };
        } });
    const wait = async (name) => {
        let done;
        listeners[name]({ waitUntil: (promise) => { done = promise; } });
        await done;
    };
    /** Undefined if the worker leaves the request to the browser. */
    const get = (url, method = 'GET') => {
        let answer;
        listeners.fetch({ request: { method, url: new URL(url, home).href },
            respondWith: (promise) => { answer = promise; } });
        return answer;
    };
    return { host, get, start: async () => { await wait('install'); await wait('activate'); } };
}

const HOME = 'https://host.example/studio/';

test('the service worker keeps its own files, each once', async () => {
    const caches = fakeCaches();
    const worker = workerOf('one', caches, HOME);
    await worker.start();
    const [cache] = [...caches.stored.values()];
    assert.deepEqual([...cache.keys()], ['./', 'index.html', 'cof.js']);
    cache.clear();
    for (const address of ['./', './?a=1', './?a=2', 'cof.js?v=1', 'cof.js?v=2', 'cof-plain.wasm'])
        await worker.get(address);
    const kept = ['', 'cof.js', 'cof-plain.wasm'].map((name) => HOME + name);
    assert.deepEqual([...cache.keys()], kept);
    for (const other of ['other.html', 'below/index.html', 'sw.js', '../index.html', '/secret?x',
        'https://elsewhere.example/studio/cof.js'])
        assert.equal(worker.get(other), undefined, other);
    assert.equal(worker.get('cof.js', 'POST'), undefined);
    assert.deepEqual([...cache.keys()], kept);
    worker.host.online = false;
    assert.equal(await worker.get('cof.js?v=3'), `one of ${HOME}cof.js?v=2`);
    await assert.rejects(worker.get('index.html'), /offline/);
});

test('the service worker drops its old versions, and nothing else', async () => {
    const caches = fakeCaches(), other = 'https://host.example/other/';
    await caches.open('libcof-studio'); // of version 1.0.0
    await caches.open('not ours');
    for (const [text, home] of [['one', other], ['one', HOME], ['two', HOME], ['two', HOME]])
        await workerOf(text, caches, home).start();
    const names = [...caches.stored.keys()];
    assert.equal(names.length, 3);
    assert.equal(names[0], 'not ours');
    assert.ok(names[1].includes(other) && names[2].includes(HOME));
    const version = (name) => name.split(' ').at(-1);
    assert.notEqual(version(names[1]), version(names[2]));
});
