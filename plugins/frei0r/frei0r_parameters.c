/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters. frei0r numbers are 0 to 1, so integers are divided by 100, and the size of what
 * presets smooth by its maximum. Parameters that have the name of an option take text, range and
 * default from the option table. Some hosts set every parameter, so a parameter that has its
 * default value counts as not set. */
#include "frei0r_parameters.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_fields.h"

#define MAX_TEXT 256

enum {
    PRESET,
    STRENGTH,
    WINDOW,
    SOFTNESS,
    ITERATIONS,
    FAST,
    RELEARN_INTERVAL,
    ADAPT,
    MODEL,
    COLOURS,
    SIZE
};

/* A row without a text describes the option of its name. */
typedef struct Row {
    const char *name;
    int type;
    const char *text;
    double initial;
} Row;

#define OPTION(NAME, TYPE) \
    { \
        .name = NAME, .type = F0R_PARAM_##TYPE \
    }

static const Row rows[PARAMETERS] = {
    [PRESET] = OPTION("preset", STRING),
    [STRENGTH] = OPTION("strength", DOUBLE),
    [WINDOW] = OPTION("window", DOUBLE),
    [SOFTNESS] = OPTION("softness", DOUBLE),
    [ITERATIONS] = OPTION("iterations", DOUBLE),
    [FAST] = {.name = "fast",
              .type = F0R_PARAM_BOOL,
              .text = "use the fast method, which approximates the exact result"},
    [RELEARN_INTERVAL] = {.name = "relearn-interval",
                          .type = F0R_PARAM_DOUBLE,
                          .text = "learn again after this many frames, divided by 100: 0 to 1; 0 = "
                                  "learn from the first frame only"},
    [ADAPT] = {.name = "adapt",
               .type = F0R_PARAM_DOUBLE,
               .text = "exponential update rate, 0 to 1: each frame contributes this share; "
                       "0 = off"},
    [MODEL] = {.name = "model",
               .type = F0R_PARAM_STRING,
               .text = "a .cof file written by cof learn; empty = learn from the video"},
    [COLOURS] = OPTION("colours", DOUBLE),
    [SIZE] = OPTION("size", DOUBLE),
};

/* What hosts and users are told, written once. */
static char explanations[PARAMETERS][MAX_TEXT];
static char preset_words[MAX_TEXT];
static pthread_once_t texts_written = PTHREAD_ONCE_INIT;

static const CofOptionInfo *option_of(int index)
{
    return rows[index].text ? NULL : cof_option_find(rows[index].name);
}

/* How many units of the option are 1 of the parameter. */
static double scale_of(const CofOptionInfo *info)
{
    return info->type == COF_OPTION_TYPE_INT            ? 100
           : info->offset == offsetof(CofOptions, size) ? info->maximum
                                                        : 1;
}

static double lowest(const CofOptionInfo *info)
{
    return info->flags & COF_OPTION_FLAG_AUTO ? 0 : info->minimum;
}

static double default_number(int index)
{
    const CofOptionInfo *info = option_of(index);
    return info ? info->default_value / scale_of(info) : rows[index].initial;
}

static const char *default_text(int index)
{
    return index == PRESET ? "none" : "";
}

static void append(char text[MAX_TEXT], const char *before, const char *what)
{
    size_t used = strlen(text);
    snprintf(text + used, MAX_TEXT - used, "%s%s", before, what);
}

/* "none, a, b or c" */
static void write_preset_words(char text[MAX_TEXT])
{
    const char *const *word = option_of(PRESET)->choices;
    append(text, "", default_text(PRESET));
    for (; *word; word++)
        append(text, word[1] ? ", " : " or ", *word);
}

static void write_range(char text[MAX_TEXT], const CofOptionInfo *info)
{
    char divisor[32], range[64];
    double scale = scale_of(info);
    snprintf(divisor, sizeof divisor, " divided by %g:", scale);
    snprintf(range, sizeof range, "%s %g to %g", scale > 1 ? divisor : "", lowest(info) / scale,
             fmin(info->maximum / scale, 1));
    append(text, ",", range);
    if (info->automatic)
        append(text, "; 0 = ", info->automatic);
}

static void write_texts(void)
{
    append(preset_words, "", "must be ");
    write_preset_words(preset_words);
    for (int i = 0; i < PARAMETERS; i++) {
        const CofOptionInfo *info = option_of(i);
        append(explanations[i], "", info ? info->help : rows[i].text);
        if (info && info->type == COF_OPTION_TYPE_CHOICE) {
            append(explanations[i], ": ", "");
            write_preset_words(explanations[i]);
        } else if (info) {
            write_range(explanations[i], info);
        }
    }
}

void parameters_init(Parameters *parameters)
{
    *parameters = (Parameters){.revision = 0};
    for (int i = 0; i < PARAMETERS; i++)
        parameters->numbers[i] = default_number(i);
}

void parameters_clear(Parameters *parameters)
{
    for (int i = 0; i < PARAMETERS; i++) {
        free(parameters->texts[i]);
        parameters->texts[i] = NULL;
    }
}

void parameters_describe(int index, f0r_param_info_t *info)
{
    *info = (f0r_param_info_t){"", F0R_PARAM_DOUBLE, ""};
    if (index < 0 || index >= PARAMETERS)
        return;
    pthread_once(&texts_written, write_texts);
    *info = (f0r_param_info_t){rows[index].name, rows[index].type, explanations[index]};
}

static const char *text_of(const Parameters *parameters, int index)
{
    return parameters->texts[index] ? parameters->texts[index] : default_text(index);
}

/* Some hosts set all parameters before each frame, so an unchanged text must not invalidate the
 * model. */
static void set_text(Parameters *parameters, int index, const char *text)
{
    if (!text || strcmp(text, text_of(parameters, index)) == 0)
        return;
    char *copy = strdup(text);
    if (!copy)
        return;
    free(parameters->texts[index]);
    parameters->texts[index] = copy;
    parameters->revision++;
}

void parameters_set(Parameters *parameters, int index, const void *value)
{
    if (!value || index < 0 || index >= PARAMETERS)
        return;
    if (rows[index].type == F0R_PARAM_STRING) {
        set_text(parameters, index, *(const char *const *)value);
        return;
    }
    double number = *(const double *)value;
    bool is_bool = rows[index].type == F0R_PARAM_BOOL;
    bool wrong = !is_bool && !(number > LOWEST_CLAMPED && number < HIGHEST_CLAMPED);
    parameters->wrong[index] = wrong ? number : 0;
    if (wrong || isnan(number))
        number = default_number(index);
    if (is_bool)
        number = number >= 0.5;
    parameters->numbers[index] = fmin(fmax(number, 0), 1);
}

void parameters_get(const Parameters *parameters, int index, void *value)
{
    if (!value || index < 0 || index >= PARAMETERS)
        return;
    if (rows[index].type == F0R_PARAM_STRING)
        *(char **)value = (char *)text_of(parameters, index); /* the host must not write to it */
    else
        *(double *)value = parameters->numbers[index];
}

FilterSettings parameters_settings(const Parameters *p)
{
    const char *model = text_of(p, MODEL);
    return (FilterSettings){.changes_nothing = p->numbers[STRENGTH] <= 0,
                            .relearn_interval = (int)lrint(p->numbers[RELEARN_INTERVAL] * 100),
                            .adapt = p->numbers[ADAPT],
                            .model = model[0] != '\0' ? model : NULL,
                            .revision = p->revision};
}

/* A parameter in the units of its option, clamped to its range. Even sides become odd. */
static double option_value(const CofOptionInfo *info, double number)
{
    if (info->type != COF_OPTION_TYPE_INT)
        return fmin(fmax(number * scale_of(info), lowest(info)), info->maximum);
    int whole = (int)fmax((double)lrint(number * scale_of(info)), lowest(info));
    if (info->flags & COF_OPTION_FLAG_ODD && whole > 0)
        whole |= 1;
    return fmin(whole, info->maximum);
}

static CofStatus set_preset(const char *name, int width, int height, CofOptions *options,
                            CofProblem *problem)
{
    const CofOptionInfo *info = option_of(PRESET);
    if (name[0] == '\0' || strcmp(name, default_text(PRESET)) == 0)
        return COF_OK;
    for (int i = 0; info->choices[i]; i++)
        if (strcmp(name, info->choices[i]) == 0)
            return cof_options_set_preset(options, (CofPreset)i, width, height, problem);
    pthread_once(&texts_written, write_texts);
    *problem = (CofProblem){.status = COF_ERR_OPTION, .option = info->name, .text = preset_words};
    return COF_ERR_OPTION;
}

CofStatus parameters_options(const Parameters *p, int width, int height, CofOptions *options,
                             CofProblem *problem)
{
    cof_options_init(options);
    options->size = option_value(option_of(SIZE), p->numbers[SIZE]); /* which the preset needs */
    CofStatus status = set_preset(text_of(p, PRESET), width, height, options, problem);
    int preset_window = options->window;
    for (int i = 0; i < PARAMETERS; i++) {
        const CofOptionInfo *info = option_of(i);
        double value = info ? option_value(info, p->numbers[i]) : 0;
        if (info && option_is_known(info) && value != info->default_value)
            option_put(options, info, value);
    }
    /* A preset sets sigma, which is no parameter: it follows the window. */
    options->sigma *= (double)options->window / preset_window;
    if (p->numbers[FAST] >= 0.5)
        options->method = COF_METHOD_FAST;
    return status;
}

const char *parameters_mistake(const Parameters *p, char cause[MAX_MISTAKE])
{
    for (int i = 0; i < PARAMETERS; i++) {
        const CofOptionInfo *info = option_of(i);
        bool hundredths = i == RELEARN_INTERVAL || (info && info->type == COF_OPTION_TYPE_INT);
        if (p->wrong[i] == 0)
            continue;
        snprintf(cause, MAX_MISTAKE, "%.6g is not 0 to 1%s", p->wrong[i],
                 hundredths ? "; 0.15 stands for 15" : "");
        return rows[i].name;
    }
    return NULL;
}
