// SPDX-License-Identifier: BSD-2-Clause
// Keeps a copy of the page, for when there is no network. build.py fills in the list of files and
// their version.

const FILES = [/* files */];
// Only browsers without SIMD load this; it is kept once they have.
const LATER = ['cof-plain.wasm'];

// Other pages of the host may have caches, too, such as another studio.
const HOME = new URL('./', location.href).href;
const CACHE = `libcof-studio ${HOME} /* version */`;
const NAME_OF_1_0_0 = 'libcof-studio';
const kept = new Set([...FILES, ...LATER].map((name) => new URL(name, HOME).href));

self.addEventListener('install', (event) => {
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))
        .then(() => self.skipWaiting()));
});

async function dropOldVersions() {
    const old = (await caches.keys()).filter((name) => name === NAME_OF_1_0_0 ||
        (name.startsWith(`libcof-studio ${HOME} `) && name !== CACHE));
    await Promise.all(old.map((name) => caches.delete(name)));
}

self.addEventListener('activate', (event) => {
    event.waitUntil(dropOldVersions().then(() => self.clients.claim()));
});

/* The network comes first, so that a new version is used at once. */
async function fetched(request, address) {
    const cache = await caches.open(CACHE);
    try {
        const response = await fetch(request);
        if (response.ok)
            cache.put(address, response.clone());
        return response;
    } catch (error) {
        const copy = await cache.match(address);
        if (copy)
            return copy;
        throw error;
    }
}

self.addEventListener('fetch', (event) => {
    const { origin, pathname } = new URL(event.request.url);
    const address = origin + pathname; // without a query: the host has one copy of each file
    if (event.request.method === 'GET' && kept.has(address))
        event.respondWith(fetched(event.request, address));
});
