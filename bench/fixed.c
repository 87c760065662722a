/* SPDX-License-Identifier: BSD-2-Clause */
/* One fixed piece of work for the library, named on the command line, to count its instructions:
 *
 *     fixed CASE FOLDER      does it, with the images of FOLDER, tests/data
 *     fixed --list           the names of the cases
 *     fixed --compiler       what this was compiled with
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cof/cof.h"

typedef CofStatus Work(const CofImage *in, const CofImage *out, const CofOptions *options);

typedef struct Case {
    const char *name;
    Work *work;
    const char *file;
    int as_grey, window, fast;
} Case;

static CofStatus learn(const CofImage *in, const CofImage *out, const CofOptions *options)
{
    CofStats *stats = NULL;
    CofModel *model = NULL;
    (void)out;
    CofStatus status = cof_stats_new(&stats, options);
    if (status == COF_OK)
        status = cof_stats_scan(stats, in, NULL, options);
    if (status == COF_OK)
        status = cof_stats_fit_palette(stats, options);
    if (status == COF_OK)
        status = cof_stats_add(stats, in, NULL, options);
    if (status == COF_OK)
        status = cof_model_new(&model, stats, options);
    cof_model_free(&model);
    cof_stats_free(&stats);
    return status;
}

static const Case cases[] = {
    {"learn-rgb8", learn, "cat.ppm", .window = 15},
    {"exact-rgb8", cof_smooth, "cat.ppm", .window = 15},
    {"exact-rgb8-window31", cof_smooth, "cat.ppm", .window = 31},
    {"exact-rgb16", cof_smooth, "cup16.ppm", .window = 15},
    {"exact-grey8", cof_smooth, "cat.ppm", .as_grey = 1, .window = 15},
    {"exact-grey16", cof_smooth, "man16.pgm", .window = 15},
    {"fast-rgb8", cof_smooth, "cat.ppm", .window = 15, .fast = 1},
    {"fast-rgb8-window31", cof_smooth, "cat.ppm", .window = 31, .fast = 1},
};

static const int case_count = sizeof cases / sizeof cases[0];

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void *take(size_t size)
{
    void *bytes = malloc(size);
    if (!bytes)
        stop("fixed", "not enough memory");
    return bytes;
}

static size_t image_bytes(const CofImage *image)
{
    return (size_t)image->width * (size_t)image->height * (size_t)image->channels *
           (image->sample == COF_SAMPLE_U16 ? 2 : 1);
}

/* The format has the high byte first. */
static void swap_bytes(CofImage *image)
{
    unsigned char *bytes = image->data;
    size_t size = image_bytes(image);
    for (size_t i = 0; i < size; i += 2) {
        uint16_t sample = (uint16_t)(bytes[i] << 8 | bytes[i + 1]);
        memcpy(bytes + i, &sample, 2);
    }
}

static CofImage read_pnm(const char *folder, const char *name)
{
    char path[1024], kind = 0;
    int largest = 0;
    CofImage image = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P%c %d %d %d", &kind, &image.width, &image.height, &largest) != 4)
        stop(path, "cannot be read");
    fgetc(file);
    image.channels = kind == '6' ? 3 : 1;
    image.kind = kind == '6' ? COF_KIND_RGB : COF_KIND_GREY;
    image.sample = largest > 255 ? COF_SAMPLE_U16 : COF_SAMPLE_U8;
    image.data = take(image_bytes(&image));
    if (fread(image.data, image_bytes(&image), 1, file) != 1)
        stop(path, "is too short");
    fclose(file);
    if (image.sample == COF_SAMPLE_U16)
        swap_bytes(&image);
    return image;
}

/* The green channel of 8-bit RGB, moved together. */
static void make_grey(CofImage *image)
{
    unsigned char *bytes = image->data;
    image->channels = 1;
    image->kind = COF_KIND_GREY;
    for (size_t i = 0; i < image_bytes(image); i++)
        bytes[i] = bytes[3 * i + 1];
}

/* From here down instructions.py counts, which knows this name. Not static, and with something
 * left to do after the call, so that the compiler keeps it as it is. */
void fixed_work(Work *work, const CofImage *in, const CofImage *out, const CofOptions *options,
                CofStatus *status);
__attribute__((noinline)) void fixed_work(Work *work, const CofImage *in, const CofImage *out,
                                          const CofOptions *options, CofStatus *status)
{
    *status = work(in, out, options);
}

static void run_case(const Case *one, const char *folder)
{
    CofImage in = read_pnm(folder, one->file), out;
    CofOptions options;
    CofStatus status;
    if (one->as_grey)
        make_grey(&in);
    out = in;
    out.data = take(image_bytes(&out));
    cof_options_init(&options);
    options.window = one->window;
    options.threads = 1;
    options.method = one->fast ? COF_METHOD_FAST : COF_METHOD_EXACT;
    fixed_work(one->work, &in, &out, &options, &status);
    if (status != COF_OK)
        stop(one->name, cof_status_string(status));
    free(in.data);
    free(out.data);
}

static void print_compiler(void)
{
#ifdef __clang__
    printf("clang-%d.%d.%d\n", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    printf("gcc-%d.%d.%d\n", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--compiler") == 0) {
        print_compiler();
        return 0;
    }
    for (int i = 0; i < case_count; i++) {
        if (argc == 2 && strcmp(argv[1], "--list") == 0)
            puts(cases[i].name);
        if (argc == 3 && strcmp(argv[1], cases[i].name) == 0) {
            run_case(&cases[i], argv[2]);
            return 0;
        }
    }
    if (argc != 2 || strcmp(argv[1], "--list") != 0)
        stop("fixed", "wants a CASE and a FOLDER, --list or --compiler");
    return 0;
}
