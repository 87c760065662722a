// SPDX-License-Identifier: BSD-2-Clause
// The tabs of the panel.

const tabs = [...document.querySelectorAll('[role="tab"]')];

/** Shows a tab by the id of its panel. */
export function showTab(name) {
    for (const tab of tabs) {
        const chosen = tab.getAttribute('aria-controls') === name;
        tab.setAttribute('aria-selected', chosen);
        tab.tabIndex = chosen ? 0 : -1;
        document.getElementById(tab.getAttribute('aria-controls')).hidden = !chosen;
    }
    document.getElementById('panel-body').scrollTop = 0;
    document.getElementById('panel').classList.remove('closed');
    document.getElementById('sheet').setAttribute('aria-expanded', true);
}

/** Calls shown(name) when the user opens a tab. */
export function watchTabs(shown) {
    const choose = (tab) => {
        showTab(tab.getAttribute('aria-controls'));
        shown(tab.getAttribute('aria-controls'));
    };
    for (const tab of tabs)
        tab.onclick = () => choose(tab);
    document.querySelector('.tabs').addEventListener('keydown', (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step)
            return;
        const at = tabs.indexOf(document.activeElement);
        const next = tabs[(at + step + tabs.length) % tabs.length];
        choose(next);
        next.focus();
    });
    const panel = document.getElementById('panel'), sheet = document.getElementById('sheet');
    sheet.onclick = () => sheet.setAttribute('aria-expanded', !panel.classList.toggle('closed'));
}
