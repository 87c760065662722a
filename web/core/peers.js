// SPDX-License-Identifier: BSD-2-Clause
// Messages between the workers of a pool, which the calling thread need not pass on. A worker is known
// by its place in the pool; a replacement is connected again.

export class Peers {
    constructor() {
        this.ports = new Map();
        this.received = new Map();
        this.sent = [];
        this.spares = []; // memory for messages
        this.call = 0;
    }

    /** Another worker has been connected. It gets what it has missed of the current call. */
    add(place, port) {
        this.ports.get(place)?.close();
        this.ports.set(place, port);
        this.received.set(place, []);
        port.onmessage = ({ data }) => {
            if (data.call >= this.call) {
                this.received.get(place).push(data);
                this.onReceived?.();
            }
        };
        this.sent.filter(({ to }) => to === place).forEach(({ make }) => this.#post(port, make()));
    }

    #post(port, fields) {
        const { bytes } = fields;
        port.postMessage({ ...fields, call: this.call }, bytes ? [bytes.buffer] : []);
    }

    /** Calls have rising numbers. Messages of later ones may have come already; those of earlier ones
     * were for calls that have been cancelled. */
    begin(call) {
        this.call = call;
        this.sent = [];
        for (const [place, messages] of this.received) {
            this.received.set(place, messages.filter((one) => one.call >= call));
        }
    }

    end() {
        this.sent = [];
        this.onReceived = undefined;
    }

    /** Sends what `make` returns to each of these workers. Bytes in it are transferred, so that it is
     * made for each of them, and once more for a worker that is connected later in the call. */
    send(places, make) {
        for (const to of places) {
            const port = this.ports.get(to);
            this.sent.push({ to, make });
            if (port) {
                this.#post(port, make());
            }
        }
    }

    #take(places) {
        const queues = places.map((place) => this.received.get(place));
        const isThere = (queue) => queue?.[0]?.call === this.call;
        return queues.every(isThere) ? queues.map((queue) => queue.shift()) : undefined;
    }

    /** The next message of each of these workers. */
    receive(places) {
        return new Promise((resolve) => {
            this.onReceived = () => {
                const messages = this.#take(places);
                if (messages) {
                    this.onReceived = undefined;
                    resolve(messages);
                }
            };
            this.onReceived();
        });
    }
}
