// SPDX-License-Identifier: BSD-2-Clause
// Files that are chosen, dropped or pasted.

const byId = (id) => document.getElementById(id);

function filesOf(transfer) {
    const files = [...transfer.files];
    if (files.length > 0)
        return files;
    return [...transfer.items ?? []].filter((item) => item.kind === 'file')
        .map((item) => item.getAsFile()).filter(Boolean);
}

/* The pointer leaves an element when it enters one inside it, so enters and leaves are counted. */
function watchDrops(open) {
    let depth = 0;
    const hint = (by) => {
        depth = Math.max(0, depth + by);
        byId('drop').hidden = depth === 0;
    };
    addEventListener('dragenter', (event) => {
        event.preventDefault();
        hint(1);
    });
    addEventListener('dragleave', () => hint(-1));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
        event.preventDefault();
        hint(-depth);
        open(filesOf(event.dataTransfer));
    });
}

/** Calls open(files) for files that come in any way. */
export function watchFiles(open) {
    const input = byId('file-input');
    input.onchange = () => {
        const files = [...input.files];
        input.value = '';
        open(files);
    };
    byId('open').onclick = byId('open-first').onclick = () => input.click();
    addEventListener('paste', (event) => {
        const files = filesOf(event.clipboardData);
        if (files.length > 0) {
            event.preventDefault();
            open(files);
        }
    });
    watchDrops(open);
}
