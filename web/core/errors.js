// SPDX-License-Identifier: BSD-2-Clause
// Why a call failed.

// The words for CofStatus, from -1 downwards.
const STATUS_WORDS = ['argument', 'option', 'memory', 'format', 'version', 'mismatch', 'empty',
    'unsupported', 'cancelled', 'busy'];

export function statusWord(status) {
    return STATUS_WORDS[-1 - status] ?? 'internal';
}

export class CofError extends Error {
    constructor(status, message, where = {}) {
        super(message);
        this.name = 'CofError';
        this.status = status;
        this.option = where.option;
        this.argument = where.argument;
    }
}

/** The error as a plain object, which a worker can send; and back. */
export function packError(error) {
    if (error instanceof CofError) {
        return { status: error.status, message: error.message, option: error.option,
                 argument: error.argument };
    }
    return { status: isOutOfMemory(error) ? 'memory' : 'internal',
             message: isOutOfMemory(error) ? 'not enough memory' : `internal error: ${error}` };
}

export function unpackError(packed) {
    return new CofError(packed.status, packed.message, packed);
}

function isOutOfMemory(error) {
    return error instanceof RangeError;
}

export function refuseArgument(argument, message) {
    throw new CofError('argument', message, { argument });
}

export function refuseOption(option, message) {
    throw new CofError('option', message, { option });
}
