// SPDX-License-Identifier: BSD-2-Clause
// Keeps a copy of the page, for when there is no network. build.py fills in the list of files.

const FILES = [/* files */];
const CACHE = 'libcof-studio';

self.addEventListener('install', (event) => {
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))
        .then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/* The network comes first, so that a new version is used at once. */
async function fetched(request) {
    const cache = await caches.open(CACHE);
    try {
        const response = await fetch(request);
        if (response.ok)
            cache.put(request, response.clone());
        return response;
    } catch (error) {
        const kept = await cache.match(request, { ignoreSearch: true });
        if (kept)
            return kept;
        throw error;
    }
}

self.addEventListener('fetch', (event) => {
    if (event.request.method === 'GET' && new URL(event.request.url).origin === location.origin)
        event.respondWith(fetched(event.request));
});
