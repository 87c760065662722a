/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frei0r entry points. frei0r has no error reporting: a frame that cannot be filtered is passed
 * through, and a line on standard error gives the reason. If the parameters are to blame, the frame
 * is marked, because few users see standard error before they have rendered a whole video. */

/* frei0r's functions are the only exported symbols. */
#pragma GCC visibility push(default)
#include <frei0r.h>
#pragma GCC visibility pop

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"
#include "frei0r_model_cache.h"
#include "frei0r_parameters.h"
#include "frei0r_frame.h"

/* Larger frames are rejected. */
#define MAX_PIXELS ((uint64_t)1 << 31)

#define MAX_LINE 640

typedef struct Instance {
    int width, height;
    Parameters parameters;
    Frei0rModelCache cache;
    CofContext *context;         /* NULL until it is needed */
    char last_message[MAX_LINE]; /* to print a repeated message only once */
    pthread_mutex_t lock;        /* MLT may call from several threads, though frei0r forbids it */
} Instance;

int f0r_init(void)
{
    return 1;
}

void f0r_deinit(void)
{
}

void f0r_get_plugin_info(f0r_plugin_info_t *info)
{
    *info = (f0r_plugin_info_t){
        .name = "cof",
        .author = "libcof",
        .plugin_type = F0R_PLUGIN_TYPE_FILTER,
        .color_model = F0R_COLOR_MODEL_RGBA8888,
        .frei0r_version = FREI0R_MAJOR_VERSION,
        .major_version = COF_VERSION_MAJOR,
        .minor_version = COF_VERSION_MINOR,
        .num_params = PARAMETERS,
        .explanation = "Co-occurrence filter: smooths textures and keeps the boundaries between "
                       "them",
    };
}

void f0r_get_param_info(f0r_param_info_t *info, int index)
{
    parameters_describe(index, info);
}

f0r_instance_t f0r_construct(unsigned int width, unsigned int height)
{
    if (width == 0 || height == 0 || width > COF_MAX_SIDE || height > COF_MAX_SIDE ||
        (uint64_t)width * height > MAX_PIXELS)
        return NULL;
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return NULL;
    if (pthread_mutex_init(&instance->lock, NULL) != 0) {
        free(instance);
        return NULL;
    }
    instance->width = (int)width;
    instance->height = (int)height;
    parameters_init(&instance->parameters);
    return instance;
}

void f0r_destruct(f0r_instance_t handle)
{
    Instance *instance = handle;
    if (!instance)
        return;
    frei0r_model_cache_clear(&instance->cache);
    parameters_clear(&instance->parameters);
    cof_context_free(&instance->context);
    pthread_mutex_destroy(&instance->lock);
    free(instance);
}

void f0r_set_param_value(f0r_instance_t handle, f0r_param_t value, int index)
{
    Instance *instance = handle;
    if (!instance)
        return;
    pthread_mutex_lock(&instance->lock);
    parameters_set(&instance->parameters, index, value);
    pthread_mutex_unlock(&instance->lock);
}

void f0r_get_param_value(f0r_instance_t handle, f0r_param_t value, int index)
{
    Instance *instance = handle;
    if (!instance)
        return;
    pthread_mutex_lock(&instance->lock);
    parameters_get(&instance->parameters, index, value);
    pthread_mutex_unlock(&instance->lock);
}

/* Prints a problem as one line, without control characters, unless it is the one printed last.
 * Returns false. */
static bool report_problem(Instance *instance, const char *about, const char *problem)
{
    char line[MAX_LINE];
    snprintf(line, sizeof line, "%.300s: %.300s", about, problem);
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (strcmp(line, instance->last_message) != 0)
        fprintf(stderr, "frei0r cof: %s\n", line);
    strcpy(instance->last_message, line);
    return false;
}

static size_t pixels_of(const Instance *instance)
{
    return (size_t)instance->width * (size_t)instance->height;
}

static bool filter(Instance *instance, const CofModel *model, const CofOptions *options,
                   const uint8_t *from, uint8_t *to, bool alpha)
{
    CofImage in = frame_view(from, instance->width, instance->height, alpha);
    CofImage out = frame_view(to, instance->width, instance->height, alpha);
    CofStatus status = cof_filter(model, NULL, &in, &out, options);
    if (status != COF_OK)
        return report_problem(instance, "frame", options->problem->text);
    if (!alpha && from != to)
        frame_make_opaque(to, pixels_of(instance));
    return true;
}

/* The options that the parameters set. Prints a mistake in them. */
static bool read_options(Instance *instance, CofOptions *options)
{
    CofProblem reason;
    char cause[MAX_MISTAKE];
    const char *mistaken = parameters_mistake(&instance->parameters, cause);
    if (mistaken)
        return report_problem(instance, mistaken, cause);
    if (parameters_options(&instance->parameters, instance->width, instance->height, options,
                           &reason) != COF_OK)
        return report_problem(instance, reason.option, reason.text);
    return true;
}

/* With the device that the environment names, if it names one. */
static bool open_context(Instance *instance)
{
    CofProblem reason;
    const char *device = getenv("COF_DEVICE");
    if (instance->context)
        return true;
    if (device && device[0])
        return cof_context_new_device(&instance->context, device, 0, &reason) == COF_OK ||
               report_problem(instance, "COF_DEVICE", reason.text);
    return cof_context_new(&instance->context, 0, &reason) == COF_OK ||
           report_problem(instance, "threads", reason.text);
}

/* Sets *mistaken if the parameters are to blame for a failure. */
static bool smooth(Instance *instance, const FilterSettings *settings, const uint8_t *from,
                   uint8_t *to, bool *mistaken)
{
    CofOptions options;
    CofProblem reason;
    *mistaken = !read_options(instance, &options);
    if (*mistaken)
        return false;
    if (!open_context(instance))
        return false;
    options.context = instance->context;
    options.problem = &reason;
    bool alpha = !frame_is_opaque(from, pixels_of(instance));
    CofImage frame = frame_view(from, instance->width, instance->height, alpha);
    const char *about, *problem;
    const CofModel *model =
        frei0r_model_cache_get(&instance->cache, settings, &frame, &options, &about, &problem);
    if (!model) {
        *mistaken = settings->model != NULL;
        return report_problem(instance, about, problem);
    }
    return filter(instance, model, &options, from, to, alpha);
}

void f0r_update(f0r_instance_t handle, double time, const uint32_t *from, uint32_t *to)
{
    Instance *instance = handle;
    (void)time;
    if (!instance || !from || !to)
        return;
    pthread_mutex_lock(&instance->lock);
    FilterSettings settings = parameters_settings(&instance->parameters);
    bool mistaken = false;
    bool done = !settings.changes_nothing &&
                smooth(instance, &settings, (const uint8_t *)from, (uint8_t *)to, &mistaken);
    if (!done && from != to)
        memcpy(to, from, 4 * pixels_of(instance));
    if (mistaken)
        frame_mark((uint8_t *)to, instance->width, instance->height);
    pthread_mutex_unlock(&instance->lock);
}

/* frei0r requires this entry point, which only mixers use. */
void f0r_update2(f0r_instance_t handle, double time, const uint32_t *from, const uint32_t *second,
                 const uint32_t *third, uint32_t *to)
{
    (void)second, (void)third;
    f0r_update(handle, time, from, to);
}
