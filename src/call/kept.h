/* SPDX-License-Identifier: BSD-2-Clause */
/* What a context keeps from call to call because it depends on few parameters. */
#ifndef COF_KEPT_H
#define COF_KEPT_H

#include <stddef.h>

#include "call/call.h"
#include "call/context.h"

/* Memory that lives as long as the context of the call, and of which each `what` has its own:
 * zeroed at first, and then as it was left. It has one size. NULL: there is no memory for it. */
void *cofi_call_keep(const CofiCall *call, CofiKept what, size_t size);

#endif
