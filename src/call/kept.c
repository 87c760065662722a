/* SPDX-License-Identifier: BSD-2-Clause */
/* What a context keeps from call to call because it depends on few parameters. */
#include "call/kept.h"

#include <assert.h>

#include "base/memory.h"

void *cofi_call_keep(const CofiCall *call, CofiKept what, size_t size)
{
    assert(what < COFI_KEPT_N && size > 0);
    void **kept = &call->context->kept[what];
    if (!*kept)
        *kept = cofi_calloc(1, size);
    return *kept;
}
