// SPDX-License-Identifier: BSD-2-Clause
// What is kept from visit to visit: the export format and quality. Browsers may deny storage.

const KEY = 'libcof-studio';
const DEFAULTS = { format: 'png', quality: 90 };

/** {preferences, denied}. */
export function loadPreferences() {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}');
        return { preferences: { ...DEFAULTS, ...kept }, denied: false };
    } catch (error) {
        return { preferences: { ...DEFAULTS }, denied: !(error instanceof SyntaxError) };
    }
}

export function savePreferences(preferences) {
    try {
        localStorage.setItem(KEY, JSON.stringify(preferences));
    } catch {
        // The page said at its start that nothing is kept.
    }
}
