// SPDX-License-Identifier: BSD-2-Clause
// Joins ES modules that import each other by relative paths into one text. Names at the top level
// must differ between the modules.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const IMPORT = /^import \{[^}]*\} from '(\.[^']+)';\n/gm;
const EXPORT_LIST = /^export \{[^}]*\};\n/gm;
const DECLARATION = /^(?:export )?(?:async )?(?:class|const|let|function\*?) (\w+)/gm;

function collect(path, found) {
    if (found.has(path)) {
        return;
    }
    const text = readFileSync(path, 'utf8');
    found.set(path, null); // cycles end here
    for (const [, to] of text.matchAll(IMPORT)) {
        collect(resolve(dirname(path), to), found);
    }
    found.delete(path);
    found.set(path, text); // after what it imports
}

function checkNames(modules) {
    const owners = new Map();
    for (const [path, text] of modules) {
        for (const [, name] of text.matchAll(DECLARATION)) {
            if (owners.has(name)) {
                throw new Error(`${name} is declared in ${owners.get(name)} and in ${path}`);
            }
            owners.set(name, path);
        }
    }
}

// Comments on lines of their own, empty lines and indentation. The text of template literals must not
// contain line breaks.
const COMMENT = /^[ ]*(?:\/\/[^\n]*|\/\*\*(?:[^*]|\*(?!\/))*\*\/)\n/gm;
const SPACE = /^[ \n]+/gm;

const strip = (text) => text.replace(IMPORT, '').replace(EXPORT_LIST, '')
    .replace(/^export /gm, '').replace(COMMENT, '').replace(SPACE, '').trim();

/** The text of a module and all that it imports. `exported` are the names that it exports. */
export function bundle(entry, exported = []) {
    const modules = new Map();
    collect(resolve(entry), modules);
    checkNames(modules);
    const parts = [...modules.values()].map(strip);
    const last = exported.length > 0 ? [`export { ${exported.join(', ')} };`] : [];
    // REUSE-IgnoreStart
    return ['// SPDX-License-Identifier: BSD-2-Clause', ...parts, ...last].join('\n\n') + '\n';
    // REUSE-IgnoreEnd
}
