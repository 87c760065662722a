// SPDX-License-Identifier: BSD-2-Clause
// Undo and redo of values that are never changed in place.

const MAX_STEPS = 200;

export class History {
    constructor(first) {
        this.states = [first];
        this.at = 0;
    }

    get current() {
        return this.states[this.at];
    }

    get canUndo() {
        return this.at > 0;
    }

    get canRedo() {
        return this.at + 1 < this.states.length;
    }

    push(state) {
        this.states = this.states.slice(Math.max(0, this.at + 2 - MAX_STEPS), this.at + 1);
        this.states.push(state);
        this.at = this.states.length - 1;
    }

    /** Steps back (-1) or forward (1), if there is such a step, and returns the state. */
    step(by) {
        this.at = Math.min(this.states.length - 1, Math.max(0, this.at + by));
        return this.current;
    }
}
