/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target: .cof files whose checksums were repaired. The input is a file, and after it bytes
 * that say what is done with it, and a second file to merge. With FUZZ_LOAD_ONLY, files are only
 * loaded, which is fast. */
#include <math.h>
#include <string.h>

#include "cof/cof.h"
#include "fuzz.h"
#include "guarded_image.h"
#include "repaired_file.h"

/* The object of a file: statistics, or a model and perhaps that of a foreground. */
typedef struct Loaded {
    CofStats *stats;
    CofModel *model, *foreground;
} Loaded;

static void free_loaded(Loaded *loaded)
{
    cof_stats_free(&loaded->stats);
    cof_model_free(&loaded->model);
    cof_model_free(&loaded->foreground);
}

/* Each kind has its own function; those for other kinds must refuse the file. */
static Loaded load(const RepairedFile *file)
{
    Loaded loaded = {0};
    CofProblem problem;
    CofFileKind kind = 0;
    bool known = cof_file_kind(file->bytes, file->size, &kind, NULL) == COF_OK;
    CofStatus stats = cof_stats_load(&loaded.stats, file->bytes, file->size, &problem);
    CHECK(stats == problem.status && (stats == COF_OK) == (loaded.stats != NULL));
    CofStatus model = cof_model_load(&loaded.model, file->bytes, file->size, &problem);
    CHECK(model == problem.status && (model == COF_OK) == (loaded.model != NULL));
    if (!loaded.stats && !loaded.model) {
        CofStatus pair = cof_model_load_pair(&loaded.foreground, &loaded.model, file->bytes,
                                             file->size, &problem);
        CHECK(pair == problem.status && (pair == COF_OK) == (loaded.model != NULL));
        CHECK((loaded.foreground != NULL) == (loaded.model != NULL));
    }
    CHECK(!(loaded.stats && loaded.model));
    CHECK(known || !(loaded.stats || loaded.model));
    CHECK(!loaded.stats || kind == COF_FILE_KIND_STATS);
    CHECK(!loaded.model || kind == (loaded.foreground ? COF_FILE_KIND_PAIR : COF_FILE_KIND_MODEL));
    return loaded;
}

#ifdef FUZZ_LOAD_ONLY

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input input = {data, size};
    while (input.left > 0) {
        RepairedFile file = repaired_file_next(&input);
        Loaded loaded = load(&file);
        free_loaded(&loaded);
        repaired_file_free(&file);
    }
    return 0;
}

#else

/* What is saved can be loaded and gives the same bytes again. */
static void check_stats_bytes(const CofStats *stats)
{
    void *bytes = NULL, *again = NULL;
    size_t size = 0, size_again = 0;
    CofStats *copy = NULL;
    CHECK(cof_stats_save(stats, &bytes, &size, NULL) == COF_OK);
    CHECK(cof_stats_load(&copy, bytes, size, NULL) == COF_OK);
    CHECK(cof_stats_save(copy, &again, &size_again, NULL) == COF_OK);
    CHECK(size == size_again && memcmp(bytes, again, size) == 0);
    CHECK(cof_stats_size(copy) == cof_stats_size(stats));
    cof_free(bytes);
    cof_free(again);
    cof_stats_free(&copy);
}

static void check_model_bytes(const CofModel *model, const CofModel *foreground)
{
    void *bytes = NULL, *again = NULL;
    size_t size = 0, size_again = 0;
    CofModel *copy = NULL, *front = NULL;
    CofOptions options;
    cof_options_init(&options);
    CHECK((foreground ? cof_model_save_pair(foreground, model, &bytes, &size, NULL)
                      : cof_model_save(model, &bytes, &size, NULL)) == COF_OK);
    CHECK(cof_load(&front, &copy, bytes, size, &options) == COF_OK);
    CHECK((front != NULL) == (foreground != NULL));
    CHECK((front ? cof_model_save_pair(front, copy, &again, &size_again, NULL)
                 : cof_model_save(copy, &again, &size_again, NULL)) == COF_OK);
    CHECK(size == size_again && memcmp(bytes, again, size) == 0);
    cof_free(bytes);
    cof_free(again);
    cof_model_free(&copy);
    cof_model_free(&front);
}

/* A model can be made of any file, but for a pair where only one model is wanted. */
static void check_load_any(const RepairedFile *file, const Loaded *loaded)
{
    CofModel *model = NULL, *foreground = NULL;
    CofProblem problem;
    CofOptions options;
    cof_options_init(&options);
    options.problem = &problem;
    CofStatus status = cof_load(&foreground, &model, file->bytes, file->size, &options);
    CHECK(status == problem.status && (status == COF_OK) == (model != NULL));
    CHECK(status == COF_OK ? (foreground != NULL) == (loaded->foreground != NULL) : !foreground);
    CHECK(status == COF_OK || !loaded->model);
    cof_model_free(&model);
    cof_model_free(&foreground);
    status = cof_load(NULL, &model, file->bytes, file->size, &options);
    CHECK(status != COF_OK || !loaded->foreground);
    cof_model_free(&model);
}

/* The counts of statistics are there if they have a palette and pairs. */
static void check_stats_contents(const CofStats *stats)
{
    const int *squared = NULL;
    int distances = 0, k = cof_stats_size(stats), shift = cof_stats_sampling_shift(stats);
    const uint64_t *counts = cof_stats_counts(stats, &squared, &distances);
    CHECK((k > 0) == (cof_stats_histogram(stats) != NULL) && k <= COF_MAX_COLOURS);
    CHECK(shift >= 0 && shift < 63);
    for (int i = 0; counts && i < distances; i++)
        CHECK(i == 0 || squared[i - 1] < squared[i]);
    uint64_t any = 0; /* sanitizers check the reads */
    for (int i = 0; counts && i < distances * (k * (k + 1) / 2); i++)
        any |= counts[i];
    CHECK(counts || any == 0);
}

/* The contents of a model are finite, and the matrix is symmetric. */
static void check_model_contents(const CofModel *model)
{
    int k = cof_model_size(model);
    const double *matrix = cof_model_matrix(model), *frequencies = cof_model_frequencies(model);
    CofOptions options;
    cof_options_init(&options);
    cof_model_options(model, &options);
    CHECK(cof_options_check(&options, NULL) == COF_OK);
    CHECK(k >= 1 && k <= COF_MAX_COLOURS);
    for (int a = 0; a < k; a++) {
        CHECK(isfinite(frequencies[a]) && frequencies[a] >= 0);
        for (int b = 0; b < k; b++)
            CHECK(isfinite(matrix[a * k + b]) && matrix[a * k + b] == matrix[b * k + a]);
    }
}

static CofOptions choose_options(Input *input)
{
    CofOptions options;
    cof_options_init(&options);
    options.threads = input_int(input, 1, 2);
    options.iterations = input_int(input, 1, 2);
    options.filter_window = input_int(input, 0, 7) * 2 + 1;
    options.softness = input_int(input, 0, 4) / 4.0;
    options.normalise = (CofNormalise)input_int(input, 0, 1);
    options.border = (CofBorder)input_int(input, 0, 2);
    options.method = (CofMethod)input_int(input, 0, 2);
    options.filter_downscale = input_int(input, 0, 2);
    options.spread_iterations = 2;
    options.spread_window = 5;
    return options;
}

/* An image of the kind that an object is for. Statistics and models do not tell the sample type,
 * which is therefore part of the input. */
static GuardedImage choose_image(Input *input, CofKind kind, int bands)
{
    int channels = kind == COF_KIND_BANDS ? bands : (int)kind + 1;
    CofSample sample = (CofSample)input_int(input, 0, 2);
    int width = input_int(input, 1, 12), height = input_int(input, 1, 9);
    GuardedImage image = guarded_new(0, width, height, channels, kind, sample);
    guarded_fill(&image, input, false);
    return image;
}

/* Learning from such statistics would take too long. */
static bool is_large(const CofStats *stats)
{
    CofOptions options;
    cof_options_init(&options);
    cof_stats_options(stats, &options);
    int k = cof_stats_size(stats);
    int largest = options.colours > options.levels ? options.colours : options.levels;
    return (k > 0 ? k : largest) * options.window > 1000;
}

static void filter_image(const CofModel *model, const CofModel *foreground, Input *input,
                         const CofOptions *options)
{
    CofKind kind;
    int bands = 0;
    if (cof_model_kind(model, &kind) != COF_OK)
        return;
    cof_model_palette(model, &bands);
    GuardedImage image = choose_image(input, kind, bands), out = guarded_copy(&image, 0);
    CofStatus status =
        foreground ? cof_focus(foreground, model, NULL, NULL, &image.view, &out.view, options)
                   : cof_filter(model, NULL, &image.view, &out.view, options);
    CHECK(status == COF_OK || guarded_equal(&image, &out));
    CHECK(guarded_finite(&out));
    guarded_free(&image);
    guarded_free(&out);
}

static void select_part(const CofModel *model, Input *input, const CofOptions *options)
{
    CofKind kind;
    int bands = 0;
    double threshold = 0;
    if (cof_model_kind(model, &kind) != COF_OK)
        return;
    cof_model_palette(model, &bands);
    GuardedImage image = choose_image(input, kind, bands);
    int width = image.view.width, height = image.view.height;
    GuardedImage marks = guarded_new(0, width, height, 1, COF_KIND_GREY, COF_SAMPLE_U8);
    GuardedImage soft = guarded_new(0, width, height, 1, COF_KIND_GREY, COF_SAMPLE_F32);
    guarded_set(&marks, width / 2, height / 2, 0, 1);
    CofStatus status =
        cof_select_spread(model, &image.view, &marks.view, NULL, &soft.view, options);
    CHECK(guarded_finite(&soft));
    if (status == COF_OK)
        status = cof_select_threshold(model, &image.view, &marks.view, NULL, &soft.view,
                                      &marks.view, &threshold, options);
    CHECK(status != COF_OK || (threshold > 0 && threshold <= 1));
    guarded_free(&image);
    guarded_free(&marks);
    guarded_free(&soft);
}

static void use_model(const CofModel *model, const CofModel *foreground, Input *input)
{
    CofOptions options = choose_options(input);
    check_model_contents(model);
    check_model_bytes(model, foreground);
    filter_image(model, foreground, input, &options);
    if (!foreground)
        select_part(model, input, &options);
}

/* Counts the pairs of an image, or of labels where there are only labels. */
static void add_image(CofStats *stats, Input *input, const CofOptions *options)
{
    CofKind kind = COF_KIND_GREY;
    int bands = 1;
    bool labels = cof_stats_kind(stats, &kind) != COF_OK;
    if (cof_stats_palette(stats, NULL))
        cof_stats_palette(stats, &bands);
    else if (kind == COF_KIND_BANDS)
        bands = input_int(input, 1, 5);
    GuardedImage image = choose_image(input, kind, bands);
    CofStatus status;
    if (cof_stats_size(stats) == 0)
        status = cof_stats_scan(stats, &image.view, NULL, options);
    else if (labels)
        status = cof_stats_add_labels(stats, &image.view, NULL, options);
    else
        status = cof_stats_add(stats, &image.view, NULL, options);
    (void)status;
    guarded_free(&image);
}

static CofStatus merge_second(CofStats *stats, Input *input)
{
    RepairedFile file = repaired_file_next(input);
    Loaded second = load(&file);
    CofStatus status = COF_ERR_EMPTY;
    if (second.stats)
        status = cof_stats_merge(stats, second.stats, NULL);
    else if (cof_stats_new_like(&second.stats, stats, NULL) == COF_OK)
        status = cof_stats_merge(stats, second.stats, NULL);
    free_loaded(&second);
    repaired_file_free(&file);
    return status;
}

static void use_stats(CofStats *stats, Input *input)
{
    CofOptions options = choose_options(input);
    CofModel *model = NULL;
    uint8_t steps = input_byte(input);
    check_stats_bytes(stats);
    check_stats_contents(stats);
    if (is_large(stats))
        return;
    if (steps & 1)
        add_image(stats, input, &options);
    if ((steps & 2) && cof_stats_decay(stats, input_byte(input), 255, NULL) == COF_OK)
        check_stats_bytes(stats);
    if ((steps & 4) && cof_stats_fit_palette(stats, &options) == COF_OK && (steps & 8))
        add_image(stats, input, &options);
    if (!is_large(stats) && cof_model_new(&model, stats, &options) == COF_OK)
        use_model(model, NULL, input);
    cof_model_free(&model);
    if (merge_second(stats, input) == COF_OK)
        check_stats_bytes(stats);
    if (!is_large(stats) && cof_model_new(&model, stats, &options) == COF_OK)
        check_model_contents(model);
    cof_model_free(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Input input = {data, size};
    RepairedFile file = repaired_file_next(&input);
    Loaded loaded = load(&file);
    if (!loaded.stats || !is_large(loaded.stats))
        check_load_any(&file, &loaded);
    if (loaded.stats)
        use_stats(loaded.stats, &input);
    else if (loaded.model)
        use_model(loaded.model, loaded.foreground, &input);
    free_loaded(&loaded);
    repaired_file_free(&file);
    return 0;
}

#endif
