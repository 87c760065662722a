// SPDX-License-Identifier: BSD-2-Clause
// Modules of node.

/** Loads one. Bundlers for browsers would look for it in vain if its name were a literal. */
export function nodeModule(name) {
    return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
}
