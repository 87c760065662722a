/* SPDX-License-Identifier: BSD-2-Clause */
/* Films, through the program ffmpeg. */
#include "video/video_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/error_line.h"

/* Chroma is neither dropped nor rounded more than it must be. */
#define SCALING "accurate_rnd+full_chroma_int+full_chroma_inp"

static const char *const exact_colours = SCALING;

/* The value of "key=value" on a line of its own, the first that is known; "" if there is none. */
static void find_value(const char *text, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    value[0] = '\0';
    for (const char *line = text; line && value[0] == '\0';) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            size_t n = strcspn(line + length + 1, "\r\n");
            g_strlcpy(value, line + length + 1, n + 1 < size ? n + 1 : size);
            if (strcmp(value, "N/A") == 0 || strcmp(value, "unknown") == 0)
                value[0] = '\0';
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

static double find_number(const char *text, const char *key)
{
    char value[64];
    find_value(text, key, value, sizeof value);
    return g_ascii_strtod(value, NULL);
}

/* "30000/1001" as seconds; 0: that is no rate. */
static double seconds_of(const char *rate)
{
    char *rest;
    double frames = g_ascii_strtod(rate, &rest),
           seconds = *rest == '/' ? g_ascii_strtod(rest + 1, NULL) : 1;
    return frames > 0 && seconds > 0 ? seconds / frames : 0;
}

/* Frames that come at any time are made to come at regular ones, so that sound stays with them;
 * where they do so anyway, none is doubled or left out. */
static void choose_rate(Film *film, const char *text)
{
    char average[sizeof film->rate];
    find_value(text, "r_frame_rate", film->rate, sizeof film->rate);
    find_value(text, "avg_frame_rate", average, sizeof average);
    double every = seconds_of(film->rate), mean = seconds_of(average);
    film->regular = every > 0 && (mean <= 0 || fabs(mean / every - 1) < 0.02);
    if (!film->regular)
        g_strlcpy(film->rate, mean > 0 ? average : "25", sizeof film->rate);
    film->seconds_a_frame = seconds_of(film->rate);
}

/* Formats of more than 8 bits have a number of them in their names. */
static bool is_deep(const char *pixels)
{
    static const char *const signs[] = {"p9",     "p10", "p12", "p14",  "p16",  "gray10", "gray12",
                                        "gray16", "48",  "64",  "p010", "p016", "f32"};
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++)
        if (strstr(pixels, signs[i]))
            return true;
    return false;
}

static bool has_alpha(const char *pixels)
{
    static const char *const signs[] = {"yuva", "rgba",  "bgra", "argb",
                                        "abgr", "gbrap", "ya8",  "ya16"};
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++)
        if (strstr(pixels, signs[i]))
            return true;
    return false;
}

/* Frames are what loses least of the film. */
static void choose_raw(Film *film)
{
    bool deep = is_deep(film->pixels), grey = strncmp(film->pixels, "gray", 4) == 0;
    bool alpha = has_alpha(film->pixels);
    film->sample = deep ? COF_U16 : COF_U8;
    film->kind = grey ? COF_GREY : alpha ? COF_RGBA : COF_RGB;
    film->channels = grey ? 1 : alpha ? 4 : 3;
    film->raw = grey    ? (deep ? "gray16le" : "gray")
                : alpha ? (deep ? "rgba64le" : "rgba")
                        : (deep ? "rgb48le" : "rgb24");
    film->bytes =
        (size_t)film->width * (size_t)film->height * (size_t)film->channels * (deep ? 2 : 1);
}

static void choose_aspect(Film *film, const char *text, bool turned)
{
    char value[sizeof film->aspect];
    int across = 0, down = 0;
    find_value(text, "sample_aspect_ratio", value, sizeof value);
    if (sscanf(value, "%d:%d", &across, &down) == 2 && across > 0 && down > 0 && across != down)
        g_snprintf(film->aspect, sizeof film->aspect, "%d/%d", turned ? down : across,
                   turned ? across : down);
}

static void read_facts(Film *film, const char *text)
{
    int turned = abs((int)find_number(text, "rotation")) % 180;
    film->width = (int)find_number(text, turned ? "height" : "width");
    film->height = (int)find_number(text, turned ? "width" : "height");
    find_value(text, "pix_fmt", film->pixels, sizeof film->pixels);
    find_value(text, "color_space", film->matrix, sizeof film->matrix);
    find_value(text, "color_primaries", film->primaries, sizeof film->primaries);
    find_value(text, "color_transfer", film->transfer, sizeof film->transfer);
    find_value(text, "color_range", film->range, sizeof film->range);
    choose_aspect(film, text, turned);
    choose_rate(film, text);
    choose_raw(film);
    film->frames = (int64_t)find_number(text, "nb_frames");
    double seconds = find_number(text, "duration");
    if (film->frames <= 0)
        film->frames = (int64_t)(seconds / film->seconds_a_frame + 0.5);
}

/* The tags of the pictures, and when they start; of the whole file, the latter once more. */
static char *print_facts(const char *name, const char *which, const char *entries, char **complaint)
{
    const char *arguments[] = {"ffprobe",
                               "-v",
                               "error",
                               "-select_streams",
                               which,
                               "-show_entries",
                               entries,
                               "-of",
                               "default=noprint_wrappers=1",
                               "-i",
                               name,
                               NULL};
    return child_printed((char *const *)arguments, complaint);
}

bool film_probe(Film *film, const char *name)
{
    char *complaint, *unsaid;
    *film = (Film){.name = name};
    g_snprintf(film->file, sizeof film->file, "file:%s", name);
    char *text = print_facts(
        film->file, "v:0",
        "stream=width,height,pix_fmt,avg_frame_rate,r_frame_rate,nb_frames,"
        "sample_aspect_ratio,color_range,color_space,color_primaries,color_transfer,duration,"
        "start_time:stream_side_data=rotation",
        &complaint);
    if (!text) {
        if (complaint) /* else it has been said */
            complain(name, "is no film that ffmpeg can read");
        g_free(complaint);
        return false;
    }
    char *whole = print_facts(film->file, "v:0", "format=start_time,duration", &unsaid);
    g_free(unsaid);
    char *both = g_strconcat(text, "\n", whole ? whole : "", NULL);
    read_facts(film, both);
    if (whole)
        film->start = find_number(text, "start_time") - find_number(whole, "start_time");
    bool ok = film->width > 0 && film->height > 0 && film->pixels[0] != '\0';
    if (!ok)
        complain(name, "has no moving pictures");
    g_free(both);
    g_free(whole);
    g_free(text);
    return ok;
}

CofImage film_view(const Film *film, void *frame)
{
    return (CofImage){.data = frame,
                      .width = film->width,
                      .height = film->height,
                      .channels = film->channels,
                      .kind = film->kind,
                      .sample = film->sample};
}

/* Arguments of a program, one after the other; a pair without a value is left out. */
static void add(GPtrArray *list, const char *word)
{
    g_ptr_array_add(list, g_strdup(word));
}

static void add_pair(GPtrArray *list, const char *option, const char *value)
{
    if (value[0] == '\0')
        return;
    add(list, option);
    add(list, value);
}

static GPtrArray *list_of(const char *const *words, size_t n)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < n; i++)
        add(list, words[i]);
    return list;
}

/* Starts what the list says, and frees it. */
static bool start(GPtrArray *list, Child *child, ChildPipe pipe)
{
    g_ptr_array_add(list, NULL);
    bool ok = child_start(child, (char *const *)list->pdata, pipe);
    g_ptr_array_free(list, TRUE);
    return ok;
}

bool film_grab(const Film *film, int64_t n, void *frame)
{
    static const char *const begin[] = {"ffmpeg", "-v", "error", "-nostdin"};
    GPtrArray *list = list_of(begin, G_N_ELEMENTS(begin));
    char *choice = g_strdup_printf("select=eq(n\\,%" G_GINT64_FORMAT ")", (gint64)(n - 1));
    add_pair(list, "-i", film->file);
    add_pair(list, "-map", "0:v:0");
    add_pair(list, "-vf", choice);
    add_pair(list, "-frames:v", "1");
    add_pair(list, "-sws_flags", exact_colours);
    add_pair(list, "-f", "rawvideo");
    add_pair(list, "-pix_fmt", film->raw);
    add(list, "-");
    g_free(choice);
    Child child;
    if (!start(list, &child, CHILD_OUTPUT))
        return false;
    size_t got = child_read(&child, frame, film->bytes);
    child_end(&child);
    child_free(&child);
    if (got == film->bytes)
        return true;
    choice = g_strdup_printf("there is no frame %" G_GINT64_FORMAT, (gint64)n);
    complain(film->name, choice);
    g_free(choice);
    return false;
}

bool film_decode(const Film *film, Child *child)
{
    static const char *const begin[] = {"ffmpeg", "-v", "error", "-nostdin"};
    GPtrArray *list = list_of(begin, G_N_ELEMENTS(begin));
    add_pair(list, "-i", film->file);
    add_pair(list, "-map", "0:v:0");
    add_pair(list, "-vsync", film->regular ? "passthrough" : "cfr");
    add_pair(list, "-r", film->regular ? "" : film->rate);
    add_pair(list, "-sws_flags", exact_colours);
    add_pair(list, "-f", "rawvideo");
    add_pair(list, "-pix_fmt", film->raw);
    add(list, "-");
    return start(list, child, CHILD_OUTPUT);
}

/* What the filter "scale" calls a matrix; NULL: it does not know it, or there is none. */
static const char *matrix_for_scale(const char *matrix)
{
    static const char *const names[][2] = {{"bt709", "bt709"},         {"smpte170m", "smpte170m"},
                                           {"bt470bg", "bt470"},       {"fcc", "fcc"},
                                           {"smpte240m", "smpte240m"}, {"bt2020nc", "bt2020"},
                                           {"bt2020c", "bt2020"}};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(matrix, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

/* The pictures are coded with the colours that they had. */
static void add_colours(GPtrArray *list, const Film *film)
{
    const char *matrix = matrix_for_scale(film->matrix);
    char *scale =
        g_strdup_printf("scale=flags=" SCALING "%s%s%s%s%s%s", matrix ? ":out_color_matrix=" : "",
                        matrix ? matrix : "", film->range[0] != '\0' ? ":out_range=" : "",
                        film->range, film->aspect[0] != '\0' ? ",setsar=" : "", film->aspect);
    add_pair(list, "-vf", scale);
    add_pair(list, "-pix_fmt", film->pixels);
    add_pair(list, "-colorspace", matrix ? film->matrix : "");
    add_pair(list, "-color_primaries", film->primaries);
    add_pair(list, "-color_trc", film->transfer);
    add_pair(list, "-color_range", film->range);
    g_free(scale);
}

static void add_options(GPtrArray *list, const char *options)
{
    char **words = NULL;
    if (!options || !g_shell_parse_argv(options, NULL, &words, NULL))
        return;
    for (char **word = words; *word; word++)
        add(list, *word);
    g_strfreev(words);
}

bool film_encode(const Film *film, const char *path, const char *options, Child *child)
{
    static const char *const begin[] = {"ffmpeg", "-v", "error", "-y", "-f", "rawvideo"};
    static const char *const rest[] = {"-map", "0:v",           "-map", "1:a?",          "-map",
                                       "1:s?", "-map_metadata", "1",    "-map_chapters", "1",
                                       "-c:a", "copy",          "-c:s", "copy"};
    GPtrArray *list = list_of(begin, G_N_ELEMENTS(begin));
    char size[32], offset[32], *target = g_strconcat("file:", path, NULL);
    g_snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    g_ascii_formatd(offset, sizeof offset, "%.6f", film->start);
    add_pair(list, "-pix_fmt", film->raw);
    add_pair(list, "-s", size);
    add_pair(list, "-r", film->rate);
    add_pair(list, "-itsoffset", fabs(film->start) > 1e-3 ? offset : "");
    add_pair(list, "-i", "-");
    add_pair(list, "-i", film->file);
    for (size_t i = 0; i < G_N_ELEMENTS(rest); i++)
        add(list, rest[i]);
    add_colours(list, film);
    add_options(list, options);
    add(list, target);
    g_free(target);
    return start(list, child, CHILD_INPUT);
}
