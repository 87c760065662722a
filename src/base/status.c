/* SPDX-License-Identifier: BSD-2-Clause */
/* Status to text, and the version. */
#include "cof/cof.h"

const char *cof_status_string(CofStatus status)
{
    switch (status) {
    case COF_OK:
        return "success";
    case COF_ERR_ARGUMENT:
        return "an argument is missing or makes no sense";
    case COF_ERR_OPTION:
        return "an option is out of range";
    case COF_ERR_MEMORY:
        return "not enough memory";
    case COF_ERR_FORMAT:
        return "not a .cof file, or a damaged one";
    case COF_ERR_VERSION:
        return "a .cof file of a newer version";
    case COF_ERR_MISMATCH:
        return "images, labels, statistics or models do not belong together";
    case COF_ERR_EMPTY:
        return "nothing to learn from: no valid pixel";
    case COF_ERR_UNSUPPORTED:
        return "not supported by this build or machine";
    case COF_ERR_CANCELLED:
        return "cancelled";
    case COF_ERR_BUSY:
        return "in use by another call";
    }
    return "unknown status";
}

uint32_t cof_version(void)
{
    return COF_VERSION_MAJOR << 16 | COF_VERSION_MINOR << 8 | COF_VERSION_PATCH;
}
