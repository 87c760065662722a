/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: image files are opened, converted and written as the command does it, and the
 * outputs are opened again. The input is an image file; its last bytes, which the formats do not
 * read, choose pages and outputs. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#include "fuzz.h"
#include "image_input.h"
#include "input.h"
#include "io/colour_profile.h"
#include "io/folder_walk.h"
#include "io/formats.h"
#include "io/image_file.h"
#include "io/paths.h"
#include "io/save_options.h"

enum { CHOICES = 8 };

/* The input and the outputs lie in a folder of this process. */
static char folder[64];

static void remove_folder(void)
{
    rmdir(folder);
}

static void start(void)
{
    image_input_start();
    snprintf(folder, sizeof folder, "%s/cof-fuzz-XXXXXX", g_get_tmp_dir());
    CHECK(mkdtemp(folder));
    atexit(remove_folder);
}

static char *path_in_folder(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

/* The files in the folder, temporary ones as well. */
static int count_files(void)
{
    int n = 0;
    DIR *stream = opendir(folder);
    CHECK(stream);
    for (const struct dirent *entry; (entry = readdir(stream));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(stream);
    return n;
}

/* A call of the command's functions. */
typedef struct Task {
    const char *path, *format; /* of the file; of standard output */
    const PageRange *pages;
    VipsImage *image, *input;
    bool is_header, is_done;
    FILE *stream;
} Task;

static void open_image(void *data)
{
    Task *task = data;
    task->image = task->is_header ? image_file_open_header(task->path)
                                  : image_file_open_pages(task->path, task->pages);
}

/* NULL if the file is refused, with one line. Outputs are refused only if GDAL reads them. */
static VipsImage *open_pages(const char *path, const PageRange *pages, bool is_output)
{
    Task task = {.path = path, .pages = pages};
    const char *lines = lines_of(open_image, &task);
    check_lines(lines, !task.image, path);
    if (is_output && !task.image && !strstr(lines, "which only GDAL reads"))
        fuzz_fail(__FILE__, __LINE__, lines);
    vips_error_clear();
    return task.image;
}

/* A header is opened without a word. */
static void open_header(const char *path)
{
    Task task = {.path = path, .is_header = true};
    const char *lines = lines_of(open_image, &task);
    CHECK(*lines == '\0');
    VIPS_UNREF(task.image);
}

static void save_image(void *data)
{
    Task *task = data;
    task->is_done = image_file_can_save(task->path, task->format) &&
                    image_file_save(task->image, task->path, task->format, task->input);
}

/* An output is found again by its name, and is another file than the input. */
static void check_names(const char *path, const char *input)
{
    FolderWalk walk;
    char *own = path_identity(path), *of_input = path_identity(input);
    CHECK(own && of_input && strcmp(own, of_input) != 0);
    folder_walk_init(&walk, true, NULL, NULL);
    folder_walk_add(&walk, folder, "");
    CHECK(!walk.failed && (int)walk.files->len + walk.n_others == 2);
    bool found = false;
    for (guint i = 0; i < walk.files->len; i++)
        found |= strcmp(((const FoundFile *)walk.files->pdata[i])->path, path) == 0;
    CHECK(found == format_is_image_name(path));
    folder_walk_free(&walk);
    g_free(own);
    g_free(of_input);
}

/* A file is there if, and only if, no line says that it is not. */
static bool save(VipsImage *image, const char *name, const char *input)
{
    Task task = {.path = name, .image = image, .input = image};
    char *path = image_path_of_output(name);
    const char *lines = lines_of(save_image, &task);
    check_lines(lines, !task.is_done, strstr(lines, name) ? name : path);
    vips_error_clear();
    CHECK((access(path, F_OK) == 0) == task.is_done);
    CHECK(count_files() == (task.is_done ? 2 : 1));
    if (task.is_done)
        check_names(path, input);
    g_free(path);
    return task.is_done;
}

static void check_equal_pixels(VipsImage *a, VipsImage *b)
{
    size_t size_a, size_b;
    void *of_a = vips_image_write_to_memory(a, &size_a);
    void *of_b = vips_image_write_to_memory(b, &size_b);
    CHECK(of_a && of_b && size_a == size_b && memcmp(of_a, of_b, size_a) == 0);
    g_free(of_a);
    g_free(of_b);
}

/* Whether the samples are those of an image in all formats that have them. */
static bool is_plain(VipsImage *image)
{
    bool is_grey =
        image->Type == VIPS_INTERPRETATION_B_W || image->Type == VIPS_INTERPRETATION_GREY16;
    bool is_rgb =
        image->Type == VIPS_INTERPRETATION_sRGB || image->Type == VIPS_INTERPRETATION_RGB16;
    bool is_deep =
        image->Type == VIPS_INTERPRETATION_GREY16 || image->Type == VIPS_INTERPRETATION_RGB16;
    return image->Coding == VIPS_CODING_NONE &&
           image->BandFmt == (is_deep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR) &&
           ((is_grey && image->Bands <= 2) || (is_rgb && (image->Bands == 3 || image->Bands == 4)));
}

/* What a format keeps. */
typedef enum Keeps {
    KEEPS_SIZE,
    KEEPS_SAMPLES, /* if is_plain() */
    KEEPS_UNKNOWN  /* libvips does not read it here */
} Keeps;

/* What is written can be opened, and a copy in a lossless format is the same image. */
static void check_output(VipsImage *image, const char *path, Keeps keeps)
{
    static const PageRange all = {0};
    VipsImage *copy = keeps == KEEPS_UNKNOWN ? NULL : open_pages(path, &all, true);
    if (!copy)
        return;
    CHECK(copy->Xsize == image->Xsize && copy->Ysize == image->Ysize);
    if (keeps == KEEPS_SAMPLES && is_plain(image)) {
        CHECK(copy->Bands == image->Bands && copy->BandFmt == image->BandFmt);
        check_equal_pixels(image, copy);
    }
    g_object_unref(copy);
}

/* The last two are refused. */
static const struct {
    const char *name;
    Keeps keeps;
} outputs[] = {
    {"o.png", KEEPS_SAMPLES},     {"o.tif[compression=lzw]", KEEPS_SAMPLES},
    {"o.tif", KEEPS_SIZE},        {"o.jpg", KEEPS_SIZE},
    {"o.webp", KEEPS_SIZE},       {"o.webp[lossless]", KEEPS_SIZE},
    {"o.gif", KEEPS_SIZE},        {"o.ppm", KEEPS_SIZE},
    {"o.pbm", KEEPS_SIZE},        {"o.pfm", KEEPS_SIZE},
    {"o.hdr", KEEPS_SIZE},        {"o.fits", KEEPS_SIZE},
    {"o.nii", KEEPS_SIZE},        {"o.jp2", KEEPS_UNKNOWN},
    {"o.jpg[strip]", KEEPS_SIZE}, {"o.png[strip]", KEEPS_SAMPLES},
    {"o.xyz", KEEPS_UNKNOWN},     {"o.mkv", KEEPS_UNKNOWN},
};

static void save_and_open(VipsImage *image, const char *input, int choice, bool is_batch)
{
    const char *name = outputs[choice].name;
    char *path = is_batch ? output_path_in_folder(folder, "", input, strchr(name, '.'))
                          : path_in_folder(name);
    char *file = image_path_of_output(path);
    if (save(image, path, input)) {
        check_output(image, file, outputs[choice].keeps);
        unlink(file);
    }
    g_free(file);
    g_free(path);
}

static void save_to_stream(void *data)
{
    Task *task = data;
    FILE *captured = stdout;
    stdout = task->stream; /* which glibc and musl allow */
    save_image(data);
    stdout = captured;
}

static const struct {
    const char *format; /* NULL: that of the input */
    Keeps keeps;
} streams[] = {
    {NULL, KEEPS_UNKNOWN}, {".png", KEEPS_SAMPLES}, {".tif", KEEPS_SIZE}, {".jp2", KEEPS_UNKNOWN}};

/* Standard output is a file here. */
static void save_and_open_stream(VipsImage *image, int choice)
{
    const char *format = streams[choice].format;
    char *path = path_in_folder("stream");
    Task task = {.path = "-", .format = format, .image = image, .input = image};
    task.stream = fopen(path, "wb");
    CHECK(task.stream);
    const char *lines = lines_of(save_to_stream, &task);
    fclose(task.stream);
    vips_error_clear();
    CHECK((*lines == '\0') == task.is_done);
    if (task.is_done)
        check_output(image, path, streams[choice].keeps);
    unlink(path);
    g_free(path);
}

/* An image in the space that its profile describes, and back. Both may fail with an error. */
static void use_profile(VipsImage *image)
{
    VipsImage *srgb = profile_to_srgb(image);
    VipsImage *back = srgb ? profile_from_srgb(srgb, image) : NULL;
    VipsImage *pixels = back ? vips_image_copy_memory(back) : NULL;
    CHECK(!pixels || (pixels->Xsize == image->Xsize && pixels->Ysize == image->Ysize));
    VIPS_UNREF(pixels);
    VIPS_UNREF(back);
    VIPS_UNREF(srgb);
    vips_error_clear();
}

/* What a format can hold is known before anything is written. */
static void check_abilities(VipsImage *image, const char *name)
{
    bool is_saved = format_saver(name) != NULL;
    bool holds_samples = image_file_holds(image, false, name, NULL, image);
    CHECK(!holds_samples || is_saved);
    CHECK(!image_file_holds(image, true, name, NULL, image) || holds_samples);
    CHECK(!image_file_can_save_pages(name, NULL, image) || is_saved);
    CHECK(is_saved || save_has_alpha(name));
}

static void use_image(VipsImage *image, const char *input, Input *choices)
{
    int output = input_int(choices, 0, (int)G_N_ELEMENTS(outputs) - 1);
    bool is_streamed = input_rarely(choices, 8), is_batch = input_rarely(choices, 4);
    image_save_init(input_rarely(choices, 4) ? input_int(choices, 1, 100) : 0);
    check_abilities(image, outputs[output].name);
    if (is_streamed)
        save_and_open_stream(image, input_int(choices, 0, G_N_ELEMENTS(streams) - 1));
    else
        save_and_open(image, input, output, is_batch);
    if (profile_is_foreign(image))
        use_profile(image);
}

/* SVG needs its suffix. PDF has it, too, and is left out: poppler is slow. */
static char *store_input(const uint8_t *data, size_t size)
{
    bool is_text = size > 2 && (data[0] == '<' || (data[0] == 0x1f && data[1] == 0x8b));
    char *path = path_in_folder(is_text ? "in.svg" : "in");
    CHECK(g_file_set_contents_full(path, (const char *)data, (gssize)size, G_FILE_SET_CONTENTS_NONE,
                                   0600, NULL));
    return path;
}

/* Pages as --pages names them, or as the options of libvips in the name do. */
static VipsImage *open_some(const char *path, Input *choices)
{
    static const char *const options[] = {"[n=-1]", "[page=1]", "[page=0,n=2]", "[access=random]"};
    PageRange pages = {0};
    int kind = input_int(choices, 0, 7);
    pages.first = input_int(choices, 0, 3);
    pages.last = pages.first > 0 ? pages.first + input_int(choices, 0, 2) : 0;
    pages.or_single = kind == 1;
    if (kind < 6)
        return open_pages(path, kind == 5 ? NULL : &pages, false);
    char *name = g_strconcat(path, options[pages.first], NULL);
    VipsImage *image = open_pages(name, kind == 6 ? NULL : &pages, false);
    g_free(name);
    return image;
}

static void run(const uint8_t *data, size_t size)
{
    size_t left = size < CHOICES ? size : CHOICES;
    Input choices = {data + size - left, left};
    char *path = store_input(data, size);
    VipsImage *image = open_some(path, &choices);
    if (image)
        use_image(image, path, &choices);
    VIPS_UNREF(image);
    if (input_rarely(&choices, 8))
        open_header(path);
    unlink(path);
    g_free(path);
    CHECK(count_files() == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0')
        start();
    Holdings before = image_input_holdings();
    run(data, size);
    Holdings after = image_input_holdings();
    CHECK(before.objects == after.objects && before.descriptor == after.descriptor);
    return 0;
}
