/* SPDX-License-Identifier: BSD-2-Clause */
/* cof info --devices: lists the devices of OpenCL. */
#include "commands/device_list.h"

#include <inttypes.h>
#include <stdio.h>

#include "cof/cof.h"
#include "ui/error_line.h"

static const char *type_name(CofDeviceType type)
{
    return type == COF_DEVICE_TYPE_CPU ? "cpu" : type == COF_DEVICE_TYPE_GPU ? "gpu" : "other";
}

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text >= ' ')
            putchar(*text);
    putchar('"');
}

static void print_device(const CofDeviceInfo *info, bool json, bool first)
{
    if (!json) {
        printf("opencl:%s (%s, %.1f GB, %s)\n", info->name, type_name(info->type),
               (double)info->memory / 1e9, info->platform);
        return;
    }
    fputs(first ? "[{\"name\": " : ", {\"name\": ", stdout);
    print_json_text(info->name);
    fputs(", \"platform\": ", stdout);
    print_json_text(info->platform);
    printf(", \"type\": \"%s\", \"double\": %s, \"memory\": %" PRIu64 "}", type_name(info->type),
           info->has_double ? "true" : "false", info->memory);
}

bool device_list_print(bool json)
{
    CofProblem problem;
    CofDeviceInfo info;
    int n = cof_device_count();
    if (n == 0 && cof_device_info(0, &info, &problem) != COF_OK) {
        print_error("--devices", problem.text);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (cof_device_info(i, &info, &problem) != COF_OK) {
            print_error("--devices", problem.text);
            return false;
        }
        print_device(&info, json, i == 0);
    }
    if (json)
        puts("]");
    return true;
}
