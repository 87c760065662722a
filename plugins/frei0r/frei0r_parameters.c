/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters: frei0r has numbers from 0 to 1, so that counts are hundredths. */
#include "frei0r_parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

enum { STRENGTH, WINDOW, SOFTNESS, ITERATIONS, FAST, EVERY, ADAPT, MODEL, COLOURS };

typedef struct Row {
    f0r_param_info_t info;
    double usual;
} Row;

static const Row rows[PARAMETERS] = {
    [STRENGTH] = {{"strength", F0R_PARAM_DOUBLE,
                   "How much of the filtered picture is seen, 0 to 1; 0: nothing is done"},
                  1},
    [WINDOW] = {{"window", F0R_PARAM_DOUBLE,
                 "Side of the window in hundreds of pixels, 0.01 to 0.63 (0.15: 15 pixels; even "
                 "ones go up to the next odd one); a model has its own"},
                0.15},
    [SOFTNESS] = {{"softness", F0R_PARAM_DOUBLE,
                   "How far a colour counts for those like it, 0 to 1 distances between colours"},
                  0.75},
    [ITERATIONS] = {{"iterations", F0R_PARAM_DOUBLE,
                     "Passes in hundreds, 0.01 to 1 (0.02: two passes)"},
                    0.01},
    [FAST] = {{"fast", F0R_PARAM_BOOL,
               "The fast method: nearly the same, in a time that does not grow with the window"},
              0},
    [EVERY] = {{"every", F0R_PARAM_DOUBLE,
                "Learn anew after so many frames, in hundreds, 0 to 1 (0.25: 25 frames); 0: learn "
                "from the first frame alone"},
               0},
    [ADAPT] = {{"adapt", F0R_PARAM_DOUBLE,
                "Follow the film: how much a new frame counts in what is known, 0 to 1; 0: do not"},
               0},
    [MODEL] = {{"model", F0R_PARAM_STRING,
                "A file of a model or of statistics, which cof learn writes; empty: learn from the "
                "film"},
               0},
    [COLOURS] = {{"colours", F0R_PARAM_DOUBLE,
                  "Colours to tell apart, in hundreds, 0.02 to 1 (0.32: 32 colours)"},
                 0.32},
};

void parameters_init(Parameters *parameters)
{
    *parameters = (Parameters){.model = NULL};
    for (int i = 0; i < PARAMETERS; i++)
        parameters->numbers[i] = rows[i].usual;
}

void parameters_clear(Parameters *parameters)
{
    free(parameters->model);
    parameters->model = NULL;
}

void parameters_describe(int index, f0r_param_info_t *info)
{
    static const f0r_param_info_t nothing = {"", F0R_PARAM_DOUBLE, ""};
    *info = index >= 0 && index < PARAMETERS ? rows[index].info : nothing;
}

/* Some hosts set all before each frame: what is the same must cost nothing. */
static void set_model(Parameters *parameters, const char *name)
{
    const char *before = parameters->model ? parameters->model : "";
    if (!name || strcmp(name, before) == 0)
        return;
    char *copy = strdup(name);
    if (!copy)
        return;
    free(parameters->model);
    parameters->model = copy;
    parameters->edition++;
}

void parameters_set(Parameters *parameters, int index, const void *value)
{
    if (!value || index < 0 || index >= PARAMETERS)
        return;
    if (rows[index].info.type == F0R_PARAM_STRING) {
        set_model(parameters, *(const char *const *)value);
        return;
    }
    double number = *(const double *)value;
    if (isnan(number))
        number = rows[index].usual;
    if (rows[index].info.type == F0R_PARAM_BOOL)
        number = number >= 0.5;
    parameters->numbers[index] = fmin(fmax(number, 0), 1);
}

void parameters_get(const Parameters *parameters, int index, void *value)
{
    if (!value || index < 0 || index >= PARAMETERS)
        return;
    if (rows[index].info.type == F0R_PARAM_STRING)
        *(char **)value = parameters->model ? parameters->model : (char *)""; /* not written to */
    else
        *(double *)value = parameters->numbers[index];
}

static int hundreds(const Parameters *parameters, int index, int least, int most)
{
    int number = (int)lrint(parameters->numbers[index] * 100);
    return number < least ? least : number > most ? most : number;
}

Settings parameters_read(const Parameters *p)
{
    const double *numbers = p->numbers;
    return (Settings){.strength = (uint32_t)lrint(numbers[STRENGTH] * WHOLE),
                      .window = hundreds(p, WINDOW, 1, COF_MAX_WINDOW) | 1,
                      .softness = numbers[SOFTNESS],
                      .iterations = hundreds(p, ITERATIONS, 1, 100),
                      .fast = numbers[FAST] >= 0.5,
                      .every = hundreds(p, EVERY, 0, 100),
                      .adapt = numbers[ADAPT],
                      .model = p->model && p->model[0] != '\0' ? p->model : NULL,
                      .edition = p->edition,
                      .colours = hundreds(p, COLOURS, 2, 100)};
}
