/* SPDX-License-Identifier: BSD-2-Clause */
/* What a call of the public API is given in the fuzz target. */
#include "api_scene.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_AREA = 480, MAX_ITERATIONS = 3, MAX_BANDS = 6 };

/* The largest values that are still fast; other options have the range of the table. */
static double fast_maximum(const CofOptionInfo *info)
{
    static const struct {
        const char *name;
        double maximum;
    } limits[] = {
        {"window", 11},        {"colours", 20},         {"levels", 20},    {"downscale", 4},
        {"filter_window", 41}, {"filter_downscale", 4}, {"iterations", 3}, {"spread_iterations", 3},
        {"spread_window", 13}, {"tolerance", 100},      {"gap", 5},        {"threads", 3},
        {"palettes", 3}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (strcmp(info->name, limits[i].name) == 0)
            return limits[i].maximum;
    return info->maximum;
}

/* Values near both ends of a range and between; sigmas and thresholds are spread by magnitude. */
static double choose_value(const CofOptionInfo *info, Input *input)
{
    double maximum = fast_maximum(info), share = input_byte(input) / 255.0;
    if (info->choices)
        return floor(share * maximum + 0.5);
    if ((info->flags & COF_OPTION_FLAG_AUTO) && share == 0)
        return 0;
    if (info->type == COF_OPTION_TYPE_DOUBLE && info->minimum > 0 && info->maximum > 100)
        return info->minimum * pow(maximum / info->minimum, share * share);
    double value = info->minimum + share * (maximum - info->minimum);
    if (info->type != COF_OPTION_TYPE_DOUBLE)
        value = floor(value);
    if ((info->flags & COF_OPTION_FLAG_ODD) && fmod(value, 2) == 0)
        value -= 1;
    return value;
}

/* Sets a field to any value; keeps only values that must be refused, since valid ones may take too
 * long. The checks choose the number of threads themselves. */
static void set_invalid(CofOptions *options, const CofOptionInfo *info, Input *input)
{
    CofOptions spoiled = *options;
    unsigned char *field = (unsigned char *)&spoiled + info->offset;
    double real = input_double(input);
    int whole = (int)input_u32(input);
    if (info->type == COF_OPTION_TYPE_DOUBLE)
        memcpy(field, &real, sizeof real);
    else if (info->type != COF_OPTION_TYPE_UINT64)
        memcpy(field, &whole, sizeof whole);
    if (info->offset != offsetof(CofOptions, threads) &&
        cof_options_check(&spoiled, NULL) != COF_OK)
        *options = spoiled;
}

/* The learning options, whose defaults are too slow. */
static void set_small_defaults(CofOptions *options)
{
    cof_options_init(options);
    options->window = 5;
    options->colours = 6;
    options->levels = 12;
    options->spread_window = 5;
    options->spread_iterations = 2;
    options->threads = 1;
}

static void choose_options(CofOptions *options, Input *input)
{
    set_small_defaults(options);
    for (int n = input_int(input, 0, 12); n > 0; n--) {
        const CofOptionInfo *info = cof_option_info(input_int(input, 0, cof_option_count() - 1));
        if (info->flags & COF_OPTION_FLAG_NO_FIELD)
            CHECK(cof_option_put(options, info, 0, NULL) == COF_ERR_OPTION);
        else if (input_rarely(input, 24))
            set_invalid(options, info, input);
        else if (info->type == COF_OPTION_TYPE_UINT64)
            options->seed = input_u32(input);
        else if (strcmp(info->name, "low") == 0 || strcmp(info->name, "high") == 0)
            options->high =
                (options->low = input_int(input, -3, 3) / 4.0) + input_byte(input) / 9.0;
        else
            CHECK(cof_option_put(options, info, choose_value(info, input), NULL) == COF_OK);
    }
    if (input_rarely(input, 4)) { /* what the fast method is for */
        options->method = (CofMethod)input_int(input, COF_METHOD_FAST, COF_METHOD_AUTO);
        options->filter_window = 11 + 2 * input_int(input, 0, 16);
        options->filter_sigma = 0;
    }
    if (input_rarely(input, 40)) { /* 8-bit grey without bins: a large matrix */
        options->levels = 256;
        options->window = 3;
        options->filter_window = 3;
    }
}

static CofRect choose_rect(Input *input, const CofImage *view)
{
    CofRect rect = {.x = input_int(input, 0, view->width - 1),
                    .y = input_int(input, 0, view->height - 1)};
    rect.width = input_int(input, 1, view->width - rect.x);
    rect.height = input_int(input, 1, view->height - rect.y);
    return rect;
}

/* Grey bytes: most are 0. */
static GuardedImage choose_marks(Input *input, int width, int height, int one_in)
{
    GuardedImage marks =
        guarded_new(input_byte(input), width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    uint64_t state = input_byte(input);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (noise(&state) % (unsigned)one_in == 0)
                *guarded_sample(&marks, x, y, 0) = (unsigned char)(noise(&state) % 5);
    return marks;
}

static void choose_images(Scene *s, Input *input)
{
    CofKind kind = (CofKind)input_int(input, 0, 4);
    CofSample sample = (CofSample)input_int(input, 0, 2);
    bool any_float = input_rarely(input, 4);
    int width = input_int(input, 1, 40), height = input_int(input, 1, MAX_AREA / width);
    height = height > 40 ? 40 : height;
    int channels = kind == COF_KIND_BANDS ? input_int(input, 1, MAX_BANDS) : (int)kind + 1;
    if (input_rarely(input, 60) && kind == COF_KIND_BANDS)
        channels = COF_MAX_BANDS;
    s->image = guarded_new(input_byte(input), width, height, channels, kind, sample);
    guarded_fill(&s->image, input, any_float);
    s->other = guarded_new(input_byte(input), width, height, channels, kind, sample);
    guarded_fill(&s->other, input, any_float);
    if (input_rarely(input, 4))
        guarded_add_gaps(&s->image, input);
    s->mask = choose_marks(input, width, height, input_int(input, 1, 40));
    s->background = choose_marks(input, width, height, input_int(input, 1, 40));
    s->prior = guarded_new(input_byte(input), width, height, 1, COF_KIND_GREY,
                           (CofSample)input_int(input, 0, 2));
    guarded_fill(&s->prior, input, any_float);
}

void scene_new(Scene *s, Input *input)
{
    memset(s, 0, sizeof *s);
    s->choice = input_byte(input);
    s->number = input_int(input, -64, 64) / 16.0;
    choose_options(&s->options, input);
    choose_images(s, input);
    s->out_layout = input_byte(input);
    s->tile = choose_rect(input, &s->image.view);
    if (input_rarely(input, 2)) {
        s->region = &s->roi;
        if (input_rarely(input, 2))
            s->roi.mask = &s->mask.view;
        if (input_rarely(input, 3))
            s->roi.region = choose_rect(input, &s->image.view);
        if (input_rarely(input, 3))
            s->roi.part = choose_rect(input, &s->image.view);
        if (input_rarely(input, 30))
            s->roi.region.width = input_int(input, -1, 300);
        if (input_rarely(input, 60))
            s->roi.reserved[0] = 1;
    }
}

void scene_free(Scene *s)
{
    guarded_free(&s->image);
    guarded_free(&s->other);
    guarded_free(&s->mask);
    guarded_free(&s->background);
    guarded_free(&s->prior);
    cof_model_free(&s->model);
    cof_model_free(&s->foreground);
}

SceneViews scene_whole(const Scene *s)
{
    return (SceneViews){s->image.view, s->other.view, s->mask.view, s->background.view,
                        s->prior.view};
}

SceneViews scene_part(const Scene *s, CofRect rect)
{
    return (SceneViews){guarded_part(&s->image, rect), guarded_part(&s->other, rect),
                        guarded_part(&s->mask, rect), guarded_part(&s->background, rect),
                        guarded_part(&s->prior, rect)};
}

void spoil(CofImage *view, int how)
{
    int *const numbers[] = {&view->width, &view->height, &view->channels, &view->x, &view->y};
    switch (how) {
    case 0:
        return;
    case 1:
        view->data = NULL;
        return;
    case 2:
        view->reserved[0] = 1;
        return;
    case 3:
        view->kind = (CofKind)5;
        return;
    case 4:
        view->sample = (CofSample)3;
        return;
    case 5:
        view->row_stride = PTRDIFF_MIN;
        return;
    case 6:
        view->row_stride = view->height > 1 ? PTRDIFF_MAX : PTRDIFF_MIN;
        return;
    case 7:
        view->full_width = COF_MAX_SIDE + 1;
        return;
    case 8:
        view->x = view->full_width = view->width;
        view->full_height = view->height;
        return;
    case 9:
        view->channels = COF_MAX_BANDS + 1;
        return;
    case 10:
        view->width = COF_MAX_SIDE + 1;
        return;
    default:
        *numbers[(how - 11) % 5] = how % 2 ? -1 : INT32_MIN;
    }
}
