// SPDX-License-Identifier: BSD-2-Clause
// Short messages above the image. Errors stay until they are closed or the next action succeeds.

const MAX_MESSAGES = 3;
const INFO_MS = 7000;
const place = document.getElementById('messages');

function show(text, kind) {
    for (const old of place.children)
        if (old.dataset.text === text)
            old.remove();
    const message = document.createElement('div');
    message.className = `message ${kind}`;
    message.dataset.text = text;
    const line = document.createElement('p');
    line.textContent = text;
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = '×';
    close.setAttribute('aria-label', 'Close this message');
    close.onclick = () => message.remove();
    message.append(line, close);
    place.append(message);
    while (place.children.length > MAX_MESSAGES)
        place.firstElementChild.remove();
    return message;
}

export function showError(text) {
    show(text, 'error');
}

export function showInfo(text) {
    const message = show(text, 'info');
    setTimeout(() => message.remove(), INFO_MS);
}

export function clearErrors() {
    for (const message of place.querySelectorAll('.error'))
        message.remove();
}

/** A sentence out of an error's text: capitals and full stop. */
export function sentence(text) {
    const start = text.charAt(0).toUpperCase() + text.slice(1);
    return /[.!?]$/.test(start) ? start : `${start}.`;
}
