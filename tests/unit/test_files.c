/* SPDX-License-Identifier: BSD-2-Clause */
/* Stats and models to bytes and back; bytes that are damaged, cut short or made up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* One of each thing that can be saved. */
typedef enum Sort {
    SCANNED_GREY,
    SCANNED_RGB_WITH_GAPS,
    EMPTY_STATS,
    COUNTED_RGB,
    COUNTED_BINS,
    COUNTED_LABELS,
    COUNTED_PALETTES,
    RGB_MODEL,
    EXACT_GREY_MODEL,
    LABELS_MODEL,
    PALETTES_MODEL,
    MODEL_PAIR,
    SORTS
} Sort;

typedef struct Saved {
    void *bytes;
    size_t size;
} Saved;

static bool is_model(Sort sort)
{
    return sort >= RGB_MODEL;
}

static TestImage random_test_image(CofKind kind, CofSample sample)
{
    Random random = {5};
    int channels = kind_channels(kind, 3);
    TestImage p = test_image_new(&random, LAYOUT_PACKED, 23, 17, channels, kind, sample);
    for (int i = 0; i < 23 * 17 * channels; i++)
        test_image_set(&p, i / channels % 23, i / channels / 23, i % channels,
                       random_uniform(&random) * (sample == COF_SAMPLE_U8    ? 255
                                                  : sample == COF_SAMPLE_U16 ? 65535
                                                                             : 1));
    return p;
}

static Saved save_model(const CofStats *stats)
{
    CofModel *model = NULL;
    Saved saved = {0};
    assert_ok(cof_model_new(&model, stats, NULL));
    assert_ok(cof_model_save(model, &saved.bytes, &saved.size, NULL));
    cof_model_free(&model);
    return saved;
}

static Saved save_pair(const CofImage *image, const CofOptions *options)
{
    uint8_t bytes[23 * 17];
    for (int i = 0; i < 23 * 17; i++)
        bytes[i] = i % 23 < 11;
    CofImage mask = grey_view(bytes, 23, 17);
    CofModel *foreground = NULL, *background = NULL;
    Saved saved = {0};
    assert_ok(cof_model_learn_pair(&foreground, &background, image, &mask, options));
    assert_ok(cof_model_save_pair(foreground, background, &saved.bytes, &saved.size, NULL));
    cof_model_free(&foreground);
    cof_model_free(&background);
    return saved;
}

static Saved make(Sort sort)
{
    CofOptions options;
    cof_options_init(&options);
    options.colours = 4;
    options.window = sort == EXACT_GREY_MODEL ? 1 : 3;
    CofKind kind = sort == SCANNED_GREY || sort == COUNTED_BINS ? COF_KIND_GREY : COF_KIND_RGB;
    CofSample sample = sort == COUNTED_BINS ? COF_SAMPLE_U16 : COF_SAMPLE_U8;
    if (sort == EXACT_GREY_MODEL || sort == COUNTED_LABELS || sort == LABELS_MODEL)
        kind = COF_KIND_GREY;
    options.levels = sort == COUNTED_BINS ? 6 : 256;
    if (sort == COUNTED_PALETTES || sort == PALETTES_MODEL) {
        options.palettes = 3; /* of 4, 2 and 1 colours: version 2 of the format */
        options.separation = 0.5;
    }
    TestImage image = random_test_image(kind, sample);
    Random random = {8};
    if (sort == SCANNED_RGB_WITH_GAPS)
        test_image_add_gaps(&image, &random, 0.9);
    CofStats *stats = NULL;
    assert_ok(cof_stats_new(&stats, &options));
    if (sort == COUNTED_LABELS || sort == LABELS_MODEL) {
        for (int i = 0; i < 23 * 17; i++)
            test_image_set(&image, i % 23, i / 23, 0, i % 5);
        assert_ok(cof_stats_set_labels(stats, 5, NULL));
        assert_ok(cof_stats_add_labels(stats, &image.view, NULL, NULL));
    } else if (sort != EMPTY_STATS) {
        assert_ok(cof_stats_scan(stats, &image.view, NULL, NULL));
        if (sort >= COUNTED_RGB) {
            assert_ok(cof_stats_fit_palette(stats, NULL));
            assert_ok(cof_stats_add(stats, &image.view, NULL, NULL));
        }
    }
    Saved saved = {0};
    if (sort == MODEL_PAIR)
        saved = save_pair(&image.view, &options);
    else if (is_model(sort))
        saved = save_model(stats);
    else
        assert_ok(cof_stats_save(stats, &saved.bytes, &saved.size, NULL));
    cof_stats_free(&stats);
    test_image_free(&image);
    return saved;
}

static CofStatus load_and_save_pair(const void *bytes, size_t size, Saved *again)
{
    CofModel *foreground = NULL, *background = NULL;
    CofStatus status = cof_model_load_pair(&foreground, &background, bytes, size, NULL);
    assert_int_equal(foreground != NULL, status == COF_OK);
    assert_int_equal(background != NULL, status == COF_OK);
    if (status == COF_OK && again)
        assert_ok(cof_model_save_pair(foreground, background, &again->bytes, &again->size, NULL));
    cof_model_free(&foreground);
    cof_model_free(&background);
    return status;
}

/* Loads, and on success saves again. */
static CofStatus load_and_save(Sort sort, const void *bytes, size_t size, Saved *again)
{
    if (sort == MODEL_PAIR)
        return load_and_save_pair(bytes, size, again);
    CofStats *stats = NULL;
    CofModel *model = NULL;
    CofStatus status = is_model(sort) ? cof_model_load(&model, bytes, size, NULL)
                                      : cof_stats_load(&stats, bytes, size, NULL);
    if (status != COF_OK) {
        assert_null(stats);
        assert_null(model);
        return status;
    }
    if (again) {
        if (model)
            assert_ok(cof_model_save(model, &again->bytes, &again->size, NULL));
        else
            assert_ok(cof_stats_save(stats, &again->bytes, &again->size, NULL));
    }
    cof_stats_free(&stats);
    cof_model_free(&model);
    return COF_OK;
}

static void save_load_save(void **state)
{
    (void)state;
    for (int sort = 0; sort < SORTS; sort++) {
        Saved first = make((Sort)sort), again = {0};
        assert_ok(load_and_save((Sort)sort, first.bytes, first.size, &again));
        assert_int_equal(first.size, again.size);
        assert_memory_equal(first.bytes, again.bytes, first.size);
        cof_free(first.bytes);
        cof_free(again.bytes);
    }
}

static bool refuses(CofStatus status)
{
    return status == COF_ERR_FORMAT || status == COF_ERR_VERSION || status == COF_ERR_MISMATCH;
}

static void every_byte_flipped(void **state)
{
    (void)state;
    for (int sort = 0; sort < SORTS; sort++) {
        Saved saved = make((Sort)sort);
        unsigned char *bytes = saved.bytes;
        /* The largest ones have their checksum tested by some of their bytes. */
        size_t step = saved.size > 20000 ? 997 : 1;
        for (size_t i = 0; i < saved.size; i += i < 400 ? 1 : step) {
            bytes[i] ^= (unsigned char)(1 + i % 255);
            assert_true(refuses(load_and_save((Sort)sort, bytes, saved.size, NULL)));
            bytes[i] ^= (unsigned char)(1 + i % 255);
        }
        cof_free(saved.bytes);
    }
}

static void every_length_cut(void **state)
{
    (void)state;
    for (int sort = 0; sort < SORTS; sort++) {
        Saved saved = make((Sort)sort);
        size_t step = saved.size > 20000 ? 997 : 1;
        for (size_t size = 0; size < saved.size; size += size < 400 ? 1 : step) {
            void *cut = malloc(size + 1); /* a block of its own, so that a read beyond it shows */
            memcpy(cut, saved.bytes, size);
            void *exact = realloc(cut, size > 0 ? size : 1);
            assert_status(load_and_save((Sort)sort, exact, size, NULL), COF_ERR_FORMAT);
            free(exact);
        }
        unsigned char *longer = malloc(saved.size + 1);
        memcpy(longer, saved.bytes, saved.size);
        longer[saved.size] = 0;
        assert_status(load_and_save((Sort)sort, longer, saved.size + 1, NULL), COF_ERR_FORMAT);
        free(longer);
        cof_free(saved.bytes);
    }
}

static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
    static uint32_t table[256];
    for (uint32_t i = 0; i < 256 && table[255] == 0; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return crc ^ 0xffffffff;
}

static void sign(unsigned char *bytes, size_t size)
{
    uint32_t crc = crc32_of(bytes, size - 4);
    for (int i = 0; i < 4; i++)
        bytes[size - 4 + (size_t)i] = (unsigned char)(crc >> 8 * i);
}

/* Long files are checked in parts side by side, which must not be seen. */
static void checksums_of_bytes(void **state)
{
    (void)state;
    for (int sort = 0; sort < SORTS; sort++) {
        Saved saved = make((Sort)sort);
        const unsigned char *end = (unsigned char *)saved.bytes + saved.size - 4;
        uint32_t crc = crc32_of(saved.bytes, saved.size - 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(end[i], crc >> 8 * i & 255);
        cof_free(saved.bytes);
    }
}

/* The checksum keeps out accidents, not malice: with a good one, every field must still be checked.
 * What is accepted must be whole: it saves to the bytes that it came from. */
static void every_field_made_up(void **state)
{
    (void)state;
    static const unsigned char values[] = {0, 1, 2, 3, 5, 0x7f, 0x80, 0xff};
    int accepted = 0, refused = 0;
    for (int sort = 0; sort < SORTS; sort++) {
        Saved saved = make((Sort)sort);
        unsigned char *bytes = saved.bytes;
        size_t most = saved.size > 20000 ? 100 : 320,
               checked = saved.size - 4 < most ? saved.size - 4 : most;
        for (size_t i = 0; i < checked; i++)
            for (size_t v = 0; v < sizeof values; v++) {
                unsigned char before = bytes[i];
                Saved again = {0};
                bytes[i] = values[v];
                sign(bytes, saved.size);
                CofStatus status = load_and_save((Sort)sort, bytes, saved.size, &again);
                if (status == COF_OK) {
                    assert_int_equal(again.size, saved.size);
                    accepted++;
                } else {
                    assert_true(refuses(status));
                    refused++;
                }
                cof_free(again.bytes);
                bytes[i] = before;
            }
        cof_free(saved.bytes);
    }
    print_message("made-up fields: %d accepted, %d refused\n", accepted, refused);
    assert_true(accepted > 0 && refused > 500);
}

/* M must not be negative: the last entry of a model with its sign turned. */
static void negative_weights(void **state)
{
    (void)state;
    Saved saved = make(RGB_MODEL);
    unsigned char *bytes = saved.bytes;
    bytes[saved.size - 5] |= 0x80;
    sign(bytes, saved.size);
    assert_status(load_and_save(RGB_MODEL, bytes, saved.size, NULL), COF_ERR_FORMAT);
    cof_free(saved.bytes);
}

static void write_u64(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* Rates at which counting would overflow are refused; the largest one that is left can count. */
static void rates_beyond_counting(void **state)
{
    (void)state;
    enum { RATE = 24 + 48 + 4 };
    static const Sort sorts[] = {COUNTED_RGB, COUNTED_LABELS, SCANNED_GREY};
    TestImage rgb = random_test_image(COF_KIND_RGB, COF_SAMPLE_U8);
    for (int i = 0; i < 3; i++) {
        Saved saved = make(sorts[i]);
        unsigned char *bytes = saved.bytes;
        for (int rate = 40; rate <= 64; rate++) {
            CofStats *stats = NULL;
            bytes[RATE] = (unsigned char)rate;
            sign(bytes, saved.size);
            assert_status(cof_stats_load(&stats, bytes, saved.size, NULL),
                          rate <= 44 ? COF_OK : COF_ERR_FORMAT);
            if (rate <= 44 && sorts[i] == COUNTED_RGB)
                assert_ok(cof_stats_add(stats, &rgb.view, NULL, NULL));
            cof_stats_free(&stats);
        }
        cof_free(saved.bytes);
    }
    test_image_free(&rgb);
}

/* Files that claim more pixels, or counts, than can be added. */
static void sums_beyond_64_bits(void **state)
{
    (void)state;
    Saved scanned = make(SCANNED_GREY), counted = make(COUNTED_LABELS);
    CofStats *a = NULL, *b = NULL;
    unsigned char *bytes = scanned.bytes;
    write_u64(bytes + 24 + 48 + 8 + 16, UINT64_MAX >> 2); /* the number of pixels */
    sign(bytes, scanned.size);
    assert_ok(cof_stats_load(&a, bytes, scanned.size, NULL));
    assert_ok(cof_stats_load(&b, bytes, scanned.size, NULL));
    assert_status(cof_stats_merge(a, b, NULL), COF_ERR_ARGUMENT);
    assert_ok(cof_stats_fit_palette(a, NULL));
    assert_int_equal(cof_stats_sampling_shift(a), 44);
    cof_stats_free(&a);
    cof_stats_free(&b);

    bytes = counted.bytes;
    write_u64(bytes + 24 + 48 + 8 + 40, UINT64_MAX); /* pixels of label 0, behind the palette */
    sign(bytes, counted.size);
    assert_ok(cof_stats_load(&a, bytes, counted.size, NULL));
    assert_true(cof_stats_histogram(a)[0] == UINT64_MAX);
    TestImage labels = random_test_image(COF_KIND_GREY, COF_SAMPLE_U8);
    for (int i = 0; i < 23 * 17; i++)
        test_image_set(&labels, i % 23, i / 23, 0, 0);
    assert_status(cof_stats_add_labels(a, &labels.view, NULL, NULL), COF_ERR_ARGUMENT);
    assert_true(cof_stats_histogram(a)[0] == UINT64_MAX);
    test_image_free(&labels);
    cof_stats_free(&a);
    cof_free(scanned.bytes);
    cof_free(counted.bytes);
}

static void other_versions_and_kinds(void **state)
{
    (void)state;
    Saved stats = make(COUNTED_RGB), model = make(RGB_MODEL);
    CofStats *s = NULL;
    CofModel *m = NULL;
    assert_status(cof_stats_load(&s, model.bytes, model.size, NULL), COF_ERR_MISMATCH);
    assert_status(cof_model_load(&m, stats.bytes, stats.size, NULL), COF_ERR_MISMATCH);
    ((unsigned char *)model.bytes)[4] = 3;
    assert_status(cof_model_load(&m, model.bytes, model.size, NULL), COF_ERR_VERSION);
    assert_status(cof_model_load(&m, "COF", 3, NULL), COF_ERR_FORMAT);
    assert_status(cof_model_load(&m, "", 0, NULL), COF_ERR_FORMAT);
    cof_free(stats.bytes);
    cof_free(model.bytes);
}

/* A file of version 1 of the format stays readable. */
static void golden_file(void **state)
{
    (void)state;
    Saved made = make(RGB_MODEL);
    size_t size;
    void *kept = read_data("model-v1.cof", &size);
    CofModel *model = NULL;
    assert_ok(cof_model_load(&model, kept, size, NULL));
    assert_int_equal(cof_model_size(model), 4);
    CofOptions recipe;
    cof_options_init(&recipe);
    cof_model_options(model, &recipe);
    assert_int_equal(recipe.window, 3);
    assert_int_equal(size, made.size);
    /* Everything but palette, M and pi, which may be computed otherwise, is equal to the byte. */
    assert_memory_equal(kept, made.bytes, 24 + 32 + 40);
    Saved again = {0};
    assert_ok(cof_model_save(model, &again.bytes, &again.size, NULL));
    assert_int_equal(again.size, size);
    assert_memory_equal(again.bytes, kept, size);
    cof_model_free(&model);
    cof_free(made.bytes);
    cof_free(again.bytes);
    free(kept);
}

/* That of the exact grey model would be large. */
static const char *const kept_names[SORTS] = {
    [SCANNED_GREY] = "files/scanned-grey.cof",
    [SCANNED_RGB_WITH_GAPS] = "files/scanned-rgb-with-gaps.cof",
    [EMPTY_STATS] = "files/empty-stats.cof",
    [COUNTED_RGB] = "files/counted-rgb.cof",
    [COUNTED_BINS] = "files/counted-bins.cof",
    [COUNTED_LABELS] = "files/counted-labels.cof",
    [COUNTED_PALETTES] = "files/counted-palettes.cof",
    [RGB_MODEL] = "files/rgb-model.cof",
    [LABELS_MODEL] = "files/labels-model.cof",
    [PALETTES_MODEL] = "files/palettes-model.cof",
    [MODEL_PAIR] = "files/model-pair.cof",
};

/* Files that were written by an x86-64 are read here, and what is learned from the same image here
 * gives the same bytes. */
static void the_same_bytes_on_every_machine(void **state)
{
    (void)state;
    for (int sort = 0; sort < SORTS; sort++) {
        size_t size;
        if (!kept_names[sort])
            continue;
        void *kept = read_data(kept_names[sort], &size);
        Saved again = {0}, made = make((Sort)sort);
        assert_ok(load_and_save((Sort)sort, kept, size, &again));
        assert_int_equal(again.size, size);
        assert_memory_equal(again.bytes, kept, size);
        if (made.size != size || memcmp(made.bytes, kept, size) != 0)
            fail_msg("%s differs from what is made here", kept_names[sort]);
        cof_free(again.bytes);
        cof_free(made.bytes);
        free(kept);
    }
}

/* Writes the files of the test above into a folder. */
static bool write_files(const char *folder)
{
    bool ok = true;
    for (int sort = 0; sort < SORTS && ok; sort++) {
        char path[1024];
        if (!kept_names[sort])
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, kept_names[sort]);
        Saved made = make((Sort)sort);
        FILE *file = fopen(path, "wb");
        ok = file && fwrite(made.bytes, 1, made.size, file) == made.size && !fclose(file);
        cof_free(made.bytes);
    }
    return ok;
}

static void a_loaded_model_filters_alike(void **state)
{
    (void)state;
    TestImage in = random_test_image(COF_KIND_RGB, COF_SAMPLE_U8),
              a = random_test_image(COF_KIND_RGB, COF_SAMPLE_U8),
              b = random_test_image(COF_KIND_RGB, COF_SAMPLE_U8);
    CofStats *stats = NULL, *loaded_stats = NULL;
    CofModel *model = NULL, *loaded = NULL;
    Saved saved = {0}, saved_stats = {0};
    assert_ok(cof_stats_new(&stats, NULL));
    assert_ok(cof_stats_scan(stats, &in.view, NULL, NULL));
    assert_ok(cof_stats_fit_palette(stats, NULL));
    assert_ok(cof_stats_save(stats, &saved_stats.bytes, &saved_stats.size, NULL));
    assert_ok(cof_stats_load(&loaded_stats, saved_stats.bytes, saved_stats.size, NULL));
    assert_ok(cof_stats_add(stats, &in.view, NULL, NULL));
    assert_ok(cof_stats_add(loaded_stats, &in.view, NULL, NULL));
    assert_ok(cof_model_new(&model, loaded_stats, NULL));
    assert_ok(cof_model_save(model, &saved.bytes, &saved.size, NULL));
    assert_ok(cof_model_load(&loaded, saved.bytes, saved.size, NULL));
    cof_model_free(&model);
    assert_ok(cof_model_new(&model, stats, NULL));
    assert_ok(cof_filter(model, NULL, &in.view, &a.view, NULL));
    assert_ok(cof_filter(loaded, NULL, &in.view, &b.view, NULL));
    assert_true(test_image_equal(&a, &b));
    assert_false(test_image_equal(&a, &in));
    cof_free(saved.bytes);
    cof_free(saved_stats.bytes);
    cof_stats_free(&stats);
    cof_stats_free(&loaded_stats);
    cof_model_free(&model);
    cof_model_free(&loaded);
    test_image_free(&in);
    test_image_free(&a);
    test_image_free(&b);
}

/* With an argument: writes the golden file there instead. */
int main(int argc, char **argv)
{
    if (argc > 1)
        return !write_files(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(save_load_save),
        cmocka_unit_test(every_byte_flipped),
        cmocka_unit_test(every_length_cut),
        cmocka_unit_test(checksums_of_bytes),
        cmocka_unit_test(every_field_made_up),
        cmocka_unit_test(negative_weights),
        cmocka_unit_test(rates_beyond_counting),
        cmocka_unit_test(sums_beyond_64_bits),
        cmocka_unit_test(other_versions_and_kinds),
        cmocka_unit_test(golden_file),
        cmocka_unit_test(the_same_bytes_on_every_machine),
        cmocka_unit_test(a_loaded_model_filters_alike),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
