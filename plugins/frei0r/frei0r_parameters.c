/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters. frei0r numbers are 0 to 1, so integers are given in hundredths. */
#include "frei0r_parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

enum { LOOK, STRENGTH, WINDOW, SOFTNESS, ITERATIONS, FAST, EVERY, ADAPT, MODEL, COLOURS };

typedef struct Row {
    f0r_param_info_t info;
    double default_number;
    const char *default_text;
} Row;

static const Row rows[PARAMETERS] = {
    [LOOK] = {{"look", F0R_PARAM_STRING,
               "none, or a look, which sets window, softness, iterations, fast and colours by the "
               "size of the frames: subtle (grain goes), texture (all texture goes), cartoon "
               "(painted in few colours)"},
              .default_text = "none"},
    [STRENGTH] = {{"strength", F0R_PARAM_DOUBLE,
                   "How much of the filtered picture is seen, 0 to 1; 0: nothing is done"},
                  .default_number = 1},
    [WINDOW] = {{"window", F0R_PARAM_DOUBLE,
                 "Side of the window in hundreds of pixels, 0.01 to 0.63 (0.15: 15 pixels; even "
                 "ones go up to the next odd one); a model has its own"},
                .default_number = 0.15},
    [SOFTNESS] = {{"softness", F0R_PARAM_DOUBLE,
                   "How far a colour counts for those like it, 0 to 1 distances between colours"},
                  .default_number = 0.75},
    [ITERATIONS] = {{"iterations", F0R_PARAM_DOUBLE,
                     "Passes in hundreds, 0.01 to 1 (0.02: two passes)"},
                    .default_number = 0.01},
    [FAST] = {{"fast", F0R_PARAM_BOOL,
               "The fast method: nearly the same, in a time that does not grow with the window"},
              .default_number = 0},
    [EVERY] = {{"every", F0R_PARAM_DOUBLE,
                "Learn anew after so many frames, in hundreds, 0 to 1 (0.25: 25 frames); 0: learn "
                "from the first frame alone"},
               .default_number = 0},
    [ADAPT] = {{"adapt", F0R_PARAM_DOUBLE,
                "Follow the film: how much a new frame counts in what is known, 0 to 1; 0: do not"},
               .default_number = 0},
    [MODEL] = {{"model", F0R_PARAM_STRING,
                "A file of a model or of statistics, which cof learn writes; empty: learn from the "
                "film"},
               .default_text = ""},
    [COLOURS] = {{"colours", F0R_PARAM_DOUBLE,
                  "Colours to tell apart, in hundreds, 0.02 to 1 (0.32: 32 colours)"},
                 .default_number = 0.32},
};

void parameters_init(Parameters *parameters)
{
    *parameters = (Parameters){.revision = 0};
    for (int i = 0; i < PARAMETERS; i++)
        parameters->numbers[i] = rows[i].default_number;
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
    static const f0r_param_info_t nothing = {"", F0R_PARAM_DOUBLE, ""};
    *info = index >= 0 && index < PARAMETERS ? rows[index].info : nothing;
}

static const char *text_of(const Parameters *parameters, int index)
{
    return parameters->texts[index] ? parameters->texts[index] : rows[index].default_text;
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
    if (rows[index].info.type == F0R_PARAM_STRING) {
        set_text(parameters, index, *(const char *const *)value);
        return;
    }
    double number = *(const double *)value;
    if (isnan(number))
        number = rows[index].default_number;
    if (rows[index].info.type == F0R_PARAM_BOOL)
        number = number >= 0.5;
    parameters->numbers[index] = fmin(fmax(number, 0), 1);
}

void parameters_get(const Parameters *parameters, int index, void *value)
{
    if (!value || index < 0 || index >= PARAMETERS)
        return;
    if (rows[index].info.type == F0R_PARAM_STRING)
        *(char **)value = (char *)text_of(parameters, index); /* the host must not write to it */
    else
        *(double *)value = parameters->numbers[index];
}

static int from_hundredths(const Parameters *parameters, int index, int min, int max)
{
    int number = (int)lrint(parameters->numbers[index] * 100);
    return number < min ? min : number > max ? max : number;
}

static int parse_look(const char *name)
{
    static const char *const names[] = {[COF_LOOK_SUBTLE] = "subtle",
                                        [COF_LOOK_TEXTURE] = "texture",
                                        [COF_LOOK_CARTOON] = "cartoon"};
    if (name[0] == '\0' || strcmp(name, rows[LOOK].default_text) == 0)
        return NO_LOOK;
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return UNKNOWN_LOOK;
}

FilterSettings parameters_read(const Parameters *p)
{
    const double *numbers = p->numbers;
    const char *model = text_of(p, MODEL);
    return (FilterSettings){.look = parse_look(text_of(p, LOOK)),
                            .strength = (uint32_t)lrint(numbers[STRENGTH] * FULL_STRENGTH),
                            .window = from_hundredths(p, WINDOW, 1, COF_MAX_WINDOW) | 1,
                            .softness = numbers[SOFTNESS],
                            .iterations = from_hundredths(p, ITERATIONS, 1, 100),
                            .fast = numbers[FAST] >= 0.5,
                            .every = from_hundredths(p, EVERY, 0, 100),
                            .adapt = numbers[ADAPT],
                            .model = model[0] != '\0' ? model : NULL,
                            .revision = p->revision,
                            .colours = from_hundredths(p, COLOURS, 2, 100)};
}
