/* SPDX-License-Identifier: BSD-2-Clause */
/* The option table: what it says about each option is true of CofOptions and of all functions. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

/* Every field that the table must describe. */
#define FIELDS(X) \
    X(variant) \
    X(colours) \
    X(levels) \
    X(low) \
    X(high) \
    X(window) \
    X(sampling) \
    X(seed) \
    X(downscale) \
    X(palettes) \
    X(sigma) \
    X(softness) \
    X(normalise) \
    X(separation) \
    X(filter_window) \
    X(filter_sigma) \
    X(filter_downscale) \
    X(border) \
    X(space) \
    X(iterations) \
    X(update) \
    X(tolerance) \
    X(method) \
    X(accuracy) \
    X(fidelity) \
    X(strength) \
    X(detail) \
    X(select_method) \
    X(min_area) \
    X(spread_window) \
    X(spread_iterations) \
    X(threshold) \
    X(gap) \
    X(likelihood) \
    X(threads) \
    X(refine) \
    X(size)

#define TYPE_OF(field) \
    _Generic(((CofOptions *)0)->field, int \
             : COF_OPTION_TYPE_INT, double \
             : COF_OPTION_TYPE_DOUBLE, uint64_t \
             : COF_OPTION_TYPE_UINT64, default \
             : COF_OPTION_TYPE_CHOICE)

typedef struct Field {
    const char *name;
    size_t offset;
    CofOptionType type;
} Field;

static const Field fields[] = {
#define ROW(field) {#field, offsetof(CofOptions, field), TYPE_OF(field)},
    FIELDS(ROW)
#undef ROW
};

enum { N = sizeof fields / sizeof fields[0] };

/* The value of a field, by its name in C. */
static double read_field(const CofOptions *o, const char *name)
{
#define READ(field) \
    if (strcmp(name, #field) == 0) \
        return (double)o->field;
    FIELDS(READ)
#undef READ
    fail_msg("%s is not a field", name);
    return 0;
}

/* The type is the table's: a value that cof_options_set() refuses can be written too. */
static void write_field(CofOptions *o, const CofOptionInfo *info, double value)
{
    char *field = (char *)o + info->offset;
    int whole = (int)value;
    uint64_t wide = (uint64_t)value;
    if (info->type == COF_OPTION_TYPE_DOUBLE)
        memcpy(field, &value, sizeof value);
    else if (info->type == COF_OPTION_TYPE_UINT64)
        memcpy(field, &wide, sizeof wide);
    else
        memcpy(field, &whole, sizeof whole);
}

static int word_count(const CofOptionInfo *info)
{
    int n = 0;
    while (info->choices[n])
        n++;
    return n;
}

static void check_texts(const CofOptionInfo *info)
{
    size_t length = strlen(info->help);
    assert_true(isupper((unsigned char)info->label[0]) && strlen(info->label) <= 20);
    assert_true(length > 0 && length <= 70 && islower((unsigned char)info->name[0]));
    assert_true(info->help[length - 1] != '.' && !strchr(info->help, '\n'));
    assert_true(islower((unsigned char)info->help[0]) || strncmp(info->help, "PSNR", 4) == 0);
    assert_int_equal(info->automatic != NULL, (info->flags & COF_OPTION_FLAG_AUTO) != 0);
    assert_int_equal(info->choices != NULL, info->type == COF_OPTION_TYPE_CHOICE);
}

static void check_range(const CofOptionInfo *info)
{
    bool automatic = info->flags & COF_OPTION_FLAG_AUTO, odd = info->flags & COF_OPTION_FLAG_ODD;
    assert_true(info->minimum < info->maximum);
    assert_true((info->default_value >= info->minimum && info->default_value <= info->maximum) ||
                (automatic && info->default_value == 0));
    if (info->type == COF_OPTION_TYPE_CHOICE)
        assert_true(info->minimum == 0 && info->maximum == word_count(info) - 1);
    if (automatic)
        assert_true(info->minimum > 0);
    if (odd)
        assert_true(info->type == COF_OPTION_TYPE_INT && (int)info->minimum % 2 == 1 &&
                    (int)info->maximum % 2 == 1 &&
                    ((int)info->default_value % 2 == 1 || (automatic && info->default_value == 0)));
}

static void every_row_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < cof_option_count(); i++) {
        const CofOptionInfo *info = cof_option_info(i);
        assert_non_null(info);
        assert_true(info->name && info->label && info->help);
        check_texts(info);
        check_range(info);
        assert_ptr_equal(cof_option_find(info->name), info);
        assert_true(info->group >= COF_OPTION_GROUP_GENERAL && info->group <= COF_OPTION_GROUP_RUN);
    }
    assert_null(cof_option_info(-1));
    assert_null(cof_option_info(cof_option_count()));
    assert_null(cof_option_find(NULL));
    assert_null(cof_option_find(""));
    assert_null(cof_option_find("windows"));
}

static void rows_are_the_fields(void **state)
{
    (void)state;
    CofOptions defaults;
    cof_options_init(&defaults);
    for (int i = 0; i < N; i++) {
        const CofOptionInfo *info = cof_option_find(fields[i].name);
        if (!info)
            fail_msg("%s is not in the table", fields[i].name);
        assert_int_equal(info->offset, fields[i].offset);
        assert_int_equal(info->type, fields[i].type);
        assert_false(info->flags & COF_OPTION_FLAG_NO_FIELD);
        assert_true(read_field(&defaults, fields[i].name) == info->default_value);
    }
    int without = 0;
    for (int i = 0; i < cof_option_count(); i++)
        without += (cof_option_info(i)->flags & COF_OPTION_FLAG_NO_FIELD) != 0;
    assert_int_equal(cof_option_count(), N + without);
    assert_int_equal(without, 1);
    assert_true(cof_option_find("preset")->flags & COF_OPTION_FLAG_NO_FIELD);
}

/* Sets an option from text, and checks that it and no other field has changed. */
static void set_and_check(const CofOptionInfo *info, const char *text, double value)
{
    CofOptions o, expected;
    CofProblem problem = {.text = "an earlier problem"};
    cof_options_init(&o);
    expected = o;
    assert_ok(cof_options_set(&o, info->name, text, &problem));
    assert_true(problem.status == COF_OK && !problem.text && !problem.option && !problem.argument);
    if (read_field(&o, info->name) != value)
        fail_msg("%s = %s is %.17g", info->name, text, read_field(&o, info->name));
    if (strcmp(info->name, "variant") == 0)
        assert_ok(cof_options_set_variant(&expected, (CofVariant)value, NULL));
    else
        write_field(&expected, info, value);
    assert_memory_equal(&o, &expected, sizeof o);
}

static void set_number(const CofOptionInfo *info, double value)
{
    char text[64];
    snprintf(text, sizeof text, info->type == COF_OPTION_TYPE_DOUBLE ? "%.15g" : "%.0f", value);
    set_and_check(info, text, value);
}

static void text_sets_each_field(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        const CofOptionInfo *info = cof_option_find(fields[i].name);
        if (info->type == COF_OPTION_TYPE_CHOICE) {
            for (int word = 0; info->choices[word]; word++)
                set_and_check(info, info->choices[word], word);
            continue;
        }
        if (info->type != COF_OPTION_TYPE_UINT64) {
            set_number(info, info->minimum);
            set_number(info, info->maximum);
        }
        set_number(info, info->default_value);
        if (info->flags & COF_OPTION_FLAG_AUTO)
            set_number(info, 0);
        set_number(info, info->type == COF_OPTION_TYPE_DOUBLE
                             ? info->minimum < 0.5 ? 34.125 / 64 : 33.7
                             : fmin(7, info->maximum - 1));
    }
}

/* Fields as numbers, for hosts that loop over the table. */
static void fields_are_numbers(void **state)
{
    (void)state;
    CofOptions o;
    CofProblem problem;
    double value;
    cof_options_init(&o);
    for (int i = 0; i < N; i++) {
        const CofOptionInfo *info = cof_option_find(fields[i].name);
        assert_ok(cof_option_get(&o, info, &value));
        assert_true(value == info->default_value);
        assert_ok(cof_option_put(&o, info, info->maximum > 1e15 ? 12345 : info->maximum, &problem));
        assert_ok(cof_option_get(&o, info, &value));
        assert_true(value == read_field(&o, info->name) && value != info->minimum);
        assert_int_equal(cof_option_put(&o, info, NAN, &problem), COF_ERR_OPTION);
        assert_string_equal(problem.option, info->name);
        if (info->type != COF_OPTION_TYPE_DOUBLE)
            assert_int_equal(cof_option_put(&o, info, 1.5, &problem), COF_ERR_OPTION);
        o.struct_size = (uint32_t)info->offset;
        assert_int_equal(cof_option_put(&o, info, 1, &problem), COF_ERR_OPTION);
        assert_int_equal(cof_option_get(&o, info, &value), COF_ERR_OPTION);
        o.struct_size = sizeof o;
    }
    assert_int_equal(cof_option_put(&o, cof_option_find("preset"), 1, &problem), COF_ERR_OPTION);
    assert_int_equal(cof_option_get(&o, cof_option_find("preset"), &value), COF_ERR_OPTION);
    assert_int_equal(cof_option_put(NULL, cof_option_info(1), 1, &problem), COF_ERR_ARGUMENT);
    assert_int_equal(cof_option_get(&o, NULL, &value), COF_ERR_ARGUMENT);
}

/* A size that is not one of a struct: the struct was not initialised. */
static void sizes_that_make_no_sense(void **state)
{
    (void)state;
    CofOptions o;
    CofReport report = {.struct_size = UINT32_MAX};
    cof_options_init(&o);
    o.struct_size = UINT32_MAX;
    assert_int_equal(cof_options_check(&o, NULL), COF_ERR_OPTION);
    assert_int_equal(cof_options_set(&o, "window", "7", NULL), COF_ERR_OPTION);
    cof_options_init(&o);
    o.report = &report;
    assert_int_equal(cof_options_check(&o, NULL), COF_ERR_OPTION);
}

static void numbers_have_many_forms(void **state)
{
    (void)state;
    set_and_check(cof_option_find("gap"), "1e2", 100);
    set_and_check(cof_option_find("gap"), "+.5", 0.5);
    set_and_check(cof_option_find("gap"), "25.e-1", 2.5);
    set_and_check(cof_option_find("gap"), "0.1", 0.1);
    set_and_check(cof_option_find("gap"), "0000000000000000000000012", 12);
    set_and_check(cof_option_find("low"), "-0.3", -0.3);
    set_and_check(cof_option_find("window"), "2.1e1", 21);
    set_and_check(cof_option_find("iterations"), "1000", 1000);
    CofOptions o;
    cof_options_init(&o);
    assert_ok(cof_options_set(&o, "seed", "18446744073709551615", NULL));
    assert_true(o.seed == UINT64_MAX);
    assert_ok(cof_options_set(&o, "seed", "9007199254740993", NULL)); /* not a double */
    assert_true(o.seed == 9007199254740993u);
}

static void assert_option_problem(const CofProblem *problem, const CofOptionInfo *info)
{
    size_t length = strlen(info->name);
    assert_int_equal(problem->status, COF_ERR_OPTION);
    assert_non_null(problem->option);
    assert_string_equal(problem->option, info->name);
    assert_null(problem->argument);
    assert_non_null(problem->text);
    assert_true(strncmp(problem->text, info->name, length) == 0);
    assert_true(strncmp(problem->text + length, " must be ", 9) == 0);
    assert_true(problem->text[strlen(problem->text) - 1] != '.');
}

static void refuse_text(const CofOptionInfo *info, const char *text)
{
    CofOptions o, before;
    CofProblem problem = {0};
    cof_options_init(&o);
    before = o;
    if (cof_options_set(&o, info->name, text, &problem) != COF_ERR_OPTION)
        fail_msg("%s accepts '%s'", info->name, text);
    assert_option_problem(&problem, info);
    assert_status(cof_options_set(&o, info->name, text, NULL), COF_ERR_OPTION);
    assert_memory_equal(&o, &before, sizeof o);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",   " ",   "x",   "1x",    " 9", "9 ",    "0x9",    "1,5",  "nan", "inf",
        "1e", "1e+", "--9", "9.9.9", ".",  "1e999", "-1e999", "-inf", "+",   "1e5000000000"};
    for (int i = 0; i < N; i++)
        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            refuse_text(cof_option_find(fields[i].name), texts[j]);
    refuse_text(cof_option_find("seed"), "18446744073709551616");
    refuse_text(cof_option_find("seed"), "-1");
    refuse_text(cof_option_find("seed"), "1.0");
    refuse_text(cof_option_find("window"), "7.5");
    refuse_text(cof_option_find("border"), "Clip");
    refuse_text(cof_option_find("border"), "1");
}

static void options_that_cannot_be_set(void **state)
{
    (void)state;
    CofOptions o;
    CofProblem problem;
    cof_options_init(&o);
    assert_status(cof_options_set(&o, "preset", "subtle", &problem), COF_ERR_OPTION);
    assert_string_equal(problem.option, "preset");
    assert_status(cof_options_set(&o, "softnes", "1", &problem), COF_ERR_OPTION);
    assert_string_equal(problem.argument, "name");
    assert_null(problem.option);
    memset(&o, 0, sizeof o);
    assert_status(cof_options_set(&o, "window", "3", &problem), COF_ERR_OPTION);
    assert_non_null(strstr(problem.text, "cof_options_init()"));
}

/* A step beyond the range. */
static double beyond(double limit, int sign)
{
    return limit + sign * fmax(1, fabs(limit) / 100);
}

/* Values that this option does not have; returns how many. */
static int bad_values(const CofOptionInfo *info, double values[8])
{
    int n = 0;
    if (info->type == COF_OPTION_TYPE_UINT64)
        return 0;
    values[n++] = beyond(info->flags & COF_OPTION_FLAG_AUTO ? 0 : info->minimum, -1);
    values[n++] = beyond(info->maximum, 1);
    if (info->flags & COF_OPTION_FLAG_ODD) {
        values[n++] = info->minimum + 1;
        values[n++] = info->maximum - 1;
        values[n++] = info->minimum - 2; /* odd and too small */
    }
    if (info->type == COF_OPTION_TYPE_DOUBLE) {
        values[n++] = (double)NAN;
        values[n++] = (double)INFINITY;
        values[n++] = -(double)INFINITY;
        if (info->flags & COF_OPTION_FLAG_AUTO)
            values[n++] = info->minimum / 2;
    }
    return n;
}

static void refuse_value(const CofOptionInfo *info, double value, const CofModel *model)
{
    uint8_t pixels[16] = {1, 2, 3}, out[16] = {77};
    CofImage in = grey_view(pixels, 4, 4), to = grey_view(out, 4, 4);
    CofOptions o;
    CofProblem problem = {0}, seen = {0};
    CofStats *stats = NULL;
    int margin = 77;
    cof_options_init(&o);
    o.problem = &seen;
    write_field(&o, info, value);
    if (cof_options_check(&o, &problem) != COF_ERR_OPTION)
        fail_msg("%s may be %g", info->name, value);
    assert_option_problem(&problem, info);
    assert_status(cof_smooth(&in, &to, &o), COF_ERR_OPTION);
    assert_option_problem(&seen, info);
    seen = (CofProblem){0};
    assert_status(cof_stats_new(&stats, &o), COF_ERR_OPTION);
    assert_option_problem(&seen, info);
    seen = (CofProblem){0};
    assert_status(cof_filter_margin(model, &margin, &o), COF_ERR_OPTION);
    assert_option_problem(&seen, info);
    assert_true(!stats && out[0] == 77 && margin == 77);
}

static void values_out_of_range_are_refused(void **state)
{
    (void)state;
    uint8_t pixels[16] = {1, 2, 3};
    CofImage image = grey_view(pixels, 4, 4);
    CofModel *model = NULL;
    assert_ok(cof_model_learn(&model, &image, NULL, 1, NULL));
    for (int i = 0; i < N; i++) {
        const CofOptionInfo *info = cof_option_find(fields[i].name);
        double values[8];
        int n = bad_values(info, values);
        for (int j = 0; j < n; j++) {
            char text[64];
            snprintf(text, sizeof text, "%.17g", values[j]);
            refuse_value(info, values[j], model);
            refuse_text(info, text);
        }
    }
    cof_model_free(&model);
    assert_ok(cof_options_check(NULL, NULL));
}

static void a_range_of_bins_is_not_empty(void **state)
{
    (void)state;
    static const double rows[][2] = {{2, 1}, {1, 1}, {-1, -1}, {0, -1}, {0.5, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CofOptions o;
        CofProblem problem;
        cof_options_init(&o);
        o.low = rows[i][0];
        o.high = rows[i][1];
        assert_status(cof_options_check(&o, &problem), COF_ERR_OPTION);
        assert_option_problem(&problem, cof_option_find("low"));
    }
}

/* Selects a locale with a decimal comma, and makes one if the machine has none. */
static bool use_decimal_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "it_IT.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            return localeconv()->decimal_point[0] == ',';
    char folder[] = "/tmp/cof-locale-XXXXXX", command[200];
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    bool made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
                setlocale(LC_ALL, "de_DE.UTF-8") && localeconv()->decimal_point[0] == ',';
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && made;
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!use_decimal_comma()) {
        print_message("no locale with a decimal comma\n");
        skip();
    }
    set_and_check(cof_option_find("softness"), "0.25", 0.25);
    set_and_check(cof_option_find("sigma"), "1.5e1", 15);
    refuse_text(cof_option_find("softness"), "0,25");
    setlocale(LC_ALL, "C");
}

/* Valid options in which no field has its default. */
static CofOptions unusual_options(int choice)
{
    CofOptions o;
    cof_options_init(&o);
    for (int i = 0; i < N; i++) {
        const CofOptionInfo *info = cof_option_find(fields[i].name);
        double value = info->type == COF_OPTION_TYPE_CHOICE   ? info->maximum
                       : info->type == COF_OPTION_TYPE_DOUBLE ? info->minimum + choice / 8.0
                       : info->maximum < 8                    ? info->minimum + choice
                                                              : info->minimum + 2 * choice;
        write_field(&o, info, value == info->default_value ? info->maximum : value);
    }
    o.low = choice;
    o.high = choice + 1;
    assert_ok(cof_options_check(&o, NULL));
    return o;
}

/* Of two different starting points, fields with the flag have become equal, others are as before.
 */
static void check_flagged(unsigned flag, const CofOptions before[2], const CofOptions after[2])
{
    for (int i = 0; i < N; i++) {
        const char *name = fields[i].name;
        double a = read_field(&after[0], name), b = read_field(&after[1], name);
        bool is_set = (cof_option_find(name)->flags & flag) || strcmp(name, "variant") == 0;
        if (is_set && a != b)
            fail_msg("%s depends on what it was", name);
        if (!is_set && (a != read_field(&before[0], name) || b != read_field(&before[1], name)))
            fail_msg("%s has changed", name);
    }
    assert_true(after[0].context == before[0].context && after[0].report == before[0].report);
}

static void presets_set_what_they_say(void **state)
{
    (void)state;
    for (int preset = 0; preset <= (int)cof_option_find("preset")->maximum; preset++) {
        CofOptions before[2] = {unusual_options(1), unusual_options(2)};
        before[1].size = before[0].size; /* which scales the others */
        CofOptions after[2] = {before[0], before[1]};
        for (int i = 0; i < 2; i++) {
            assert_ok(cof_options_set_preset(&after[i], (CofPreset)preset, 1500, 1000, NULL));
            assert_ok(cof_options_check(&after[i], NULL));
        }
        check_flagged(COF_OPTION_FLAG_PRESET, before, after);
    }
}

static void variants_set_what_they_say(void **state)
{
    (void)state;
    for (int variant = 0; variant <= (int)cof_option_find("variant")->maximum; variant++) {
        CofOptions before[2] = {unusual_options(1), unusual_options(2)};
        CofOptions after[2] = {before[0], before[1]}, by_name = before[0];
        for (int i = 0; i < 2; i++)
            assert_ok(cof_options_set_variant(&after[i], (CofVariant)variant, NULL));
        check_flagged(COF_OPTION_FLAG_VARIANT, before, after);
        assert_int_equal(after[0].variant, variant);
        const char *word = cof_option_find("variant")->choices[variant];
        assert_ok(cof_options_set(&by_name, "variant", word, NULL));
        assert_memory_equal(&by_name, &after[0], sizeof by_name);
    }
    CofOptions o = unusual_options(1), same = o;
    CofProblem problem;
    assert_status(cof_options_set_variant(&o, (CofVariant)3, &problem), COF_ERR_OPTION);
    assert_option_problem(&problem, cof_option_find("variant"));
    assert_memory_equal(&o, &same, sizeof o);
}

static void kinds_have_names(void **state)
{
    (void)state;
    static const char *const words[] = {"grey", "grey-alpha", "rgb", "rgba", "bands"};
    for (int kind = 0; kind <= COF_KIND_BANDS; kind++)
        assert_string_equal(cof_kind_name((CofKind)kind), words[kind]);
    assert_null(cof_kind_name((CofKind)(COF_KIND_BANDS + 1)));
    assert_null(cof_kind_name((CofKind)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(rows_are_the_fields),
        cmocka_unit_test(text_sets_each_field),
        cmocka_unit_test(fields_are_numbers),
        cmocka_unit_test(sizes_that_make_no_sense),
        cmocka_unit_test(numbers_have_many_forms),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(options_that_cannot_be_set),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(a_range_of_bins_is_not_empty),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(presets_set_what_they_say),
        cmocka_unit_test(variants_set_what_they_say),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
