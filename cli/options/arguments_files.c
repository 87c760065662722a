/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that the command line names: inputs and outputs. */
#include "options/arguments_files.h"

#include <string.h>
#include <vips/vips.h>

#include "io/folder_walk.h"
#include "io/formats.h"
#include "io/paths.h"
#include "io/save_options.h"
#include "options/background_effect.h"
#include "ui/error_line.h"

#define PAINTS (CMD_FOCUS | CMD_RECOLOUR)

/* Whether the last operand is the output. */
static bool writes_last_operand(const Arguments *a)
{
    return a->subcommand == CMD_FILTER ? !a->output && !option_set(a, OPT_IN_PLACE)
                                       : a->subcommand & (CMD_APPLY | CMD_VIDEO | PAINTS);
}

int arguments_n_inputs(const Arguments *a)
{
    return a->n_operands - (writes_last_operand(a) && a->n_operands > 0);
}

const char *arguments_last_output(const Arguments *a)
{
    return writes_last_operand(a) && a->n_operands > 0 ? a->operands[a->n_operands - 1] : a->output;
}

bool arguments_is_batch(const Arguments *a)
{
    return a->subcommand == CMD_FILTER &&
           (a->found || (option_set(a, OPT_IN_PLACE)
                             ? a->n_operands > 1
                             : a->output && (a->n_operands > 1 || path_is_folder(a->output))));
}

const char *arguments_replaceable(const Arguments *a, int i)
{
    switch (a->subcommand) {
    case CMD_FILTER:
        return a->operands[i];
    case CMD_APPLY:
        return a->operands[1];
    case CMD_FOCUS:
    case CMD_RECOLOUR:
    case CMD_MERGE:
        return a->operands[0];
    default:
        return NULL;
    }
}

char *arguments_output(const Arguments *a, int i)
{
    if (option_set(a, OPT_IN_PLACE))
        return g_strdup(arguments_replaceable(a, i));
    const char *output = arguments_last_output(a);
    if (a->subcommand == CMD_FILTER &&
        (arguments_is_batch(a) || (!path_is_stream(output) && path_is_folder(output))))
        return output_path_in_folder(output, folder_walk_subfolder(a->found, i), a->operands[i],
                                     a->format);
    return g_strdup(output);
}

/* How a file is used, found by its identity. */
typedef struct FileUse {
    const char *read_as; /* NULL: it is not read */
    int reads;
    char *written_as; /* NULL: it is not written */
    const char *written_for;
} FileUse;

static void free_use(void *use)
{
    g_free(((FileUse *)use)->written_as);
    g_free(use);
}

/* The files of the command line, by their identities. */
static GHashTable *files_of_arguments;

static const FileUse *known_use(const char *path)
{
    char *identity = path_identity(path);
    const FileUse *use =
        identity && files_of_arguments ? g_hash_table_lookup(files_of_arguments, identity) : NULL;
    g_free(identity);
    return use;
}

const char *arguments_output_at(const char *path)
{
    const FileUse *use = known_use(path);
    char *owner = use && use->written_as ? NULL : path_owner_of_companion(path);
    if (owner)
        use = known_use(owner);
    g_free(owner);
    return use ? use->written_as : NULL;
}

bool arguments_replace_files(void)
{
    GHashTableIter iterator;
    gpointer value;
    bool found = false;
    if (!files_of_arguments)
        return false;
    g_hash_table_iter_init(&iterator, files_of_arguments);
    while (!found && g_hash_table_iter_next(&iterator, NULL, &value)) {
        const FileUse *use = value;
        found = use->written_as && g_file_test(use->written_as, G_FILE_TEST_EXISTS);
    }
    return found;
}

/* NULL for a stream or a device. */
static FileUse *find_use(GHashTable *files, const char *path)
{
    char *identity = path_identity(path);
    FileUse *use = identity ? g_hash_table_lookup(files, identity) : NULL;
    if (!identity || use) {
        g_free(identity);
        return use;
    }
    use = g_new0(FileUse, 1);
    g_hash_table_insert(files, identity, use);
    return use;
}

static void add_input(GHashTable *files, const char *name)
{
    char *path = name ? image_path_of_input(name) : NULL;
    FileUse *use = path ? find_use(files, path) : NULL;
    g_free(path);
    if (!use)
        return;
    use->read_as = name;
    use->reads++;
}

/* Without the number of a frame. */
static void add_scribbles(GHashTable *files, const char **names, int n)
{
    for (int i = 0; i < n; i++) {
        char *name = g_strdup(names[i]), *at = strrchr(name, '@');
        add_input(files, names[i]);
        if (at) {
            *at = '\0';
            FileUse *use = find_use(files, name);
            if (use) {
                use->read_as = names[i];
                use->reads++;
            }
        }
        g_free(name);
    }
}

static void add_inputs(GHashTable *files, const Arguments *a)
{
    const char *inputs[] = {a->mask,   a->correct, a->labels,       a->guide,
                            a->matrix, a->model,   a->palette_from, a->apply_mask};
    for (int i = 0; i < arguments_n_inputs(a); i++)
        add_input(files, a->operands[i]);
    for (int i = 0; i < a->n_learn_from; i++)
        add_input(files, a->learn_from[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(inputs); i++)
        add_input(files, inputs[i]);
    add_scribbles(files, a->scribbles, a->n_scribbles);
    add_scribbles(files, a->background_scribbles, a->n_background_scribbles);
    if (a->background)
        add_input(files, background_effect_parse(a->background).file);
}

static bool reject_twice(const FileUse *use, const char *name, const char *input)
{
    char *cause = input && use->written_for ? g_strdup_printf("would be the output of %s and of %s",
                                                              use->written_for, input)
                                            : g_strdup("is the name of two outputs");
    print_error(name, cause);
    g_free(cause);
    return false;
}

/* `input` is the file that the output may replace, or NULL. */
static bool reject_input(const char *path, const char *name, const char *input)
{
    char *input_path = input ? image_path_of_input(input) : NULL;
    if (input && path_is_same(path, input_path))
        print_error(name, "is the input; to replace it, use --in-place");
    else
        print_error(name, "is an input and an output");
    g_free(input_path);
    return false;
}

/* Takes `path`, the name without options of libvips. `input` is the file that the output may
 * replace, or NULL. */
static bool add_output(GHashTable *files, char *path, const char *name, const char *input,
                       bool in_place)
{
    FileUse *use = find_use(files, path);
    bool ok = true;
    if (use && use->written_as)
        ok = reject_twice(use, name, input);
    else if (use && use->read_as && !(in_place && use->reads == 1))
        ok = reject_input(path, name, in_place ? NULL : input);
    if (ok && use) {
        use->written_as = path;
        use->written_for = input;
        return true;
    }
    g_free(path);
    return ok;
}

/* Companions of an output that is replaced are removed. */
static bool check_companions(void)
{
    GHashTableIter iterator;
    gpointer value;
    bool ok = true;
    g_hash_table_iter_init(&iterator, files_of_arguments);
    while (ok && g_hash_table_iter_next(&iterator, NULL, &value)) {
        const FileUse *use = value;
        char *owner = use->read_as ? path_owner_of_companion(use->read_as) : NULL;
        const FileUse *owner_use = owner ? known_use(owner) : NULL;
        ok = !owner_use || !owner_use->written_as;
        if (!ok)
            print_error(use->read_as, "is an input, but belongs to an output");
        g_free(owner);
    }
    return ok;
}

static bool add_main_outputs(GHashTable *files, const Arguments *a)
{
    bool is_image = !(a->subcommand & (CMD_LEARN | CMD_MERGE | CMD_VIDEO)), ok = true;
    int n = arguments_is_batch(a) ? a->n_operands : 1;
    for (int i = 0; i < n && ok; i++) {
        char *name = arguments_output(a, i);
        if (name)
            ok = add_output(files, is_image ? image_path_of_output(name) : g_strdup(name), name,
                            arguments_replaceable(a, i), option_set(a, OPT_IN_PLACE));
        g_free(name);
    }
    return ok;
}

static bool add_other_outputs(GHashTable *files, const Arguments *a)
{
    const char *images[] = {a->residual, a->side_by_side, a->matte};
    const char *others[] = {a->report, a->save_model};
    bool ok = true;
    for (size_t i = 0; i < G_N_ELEMENTS(images) && ok; i++)
        ok = !images[i] ||
             add_output(files, image_path_of_output(images[i]), images[i], NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(others) && ok; i++)
        ok = !others[i] || add_output(files, g_strdup(others[i]), others[i], NULL, false);
    return ok;
}

/* Writing one page of a file would lose the others. */
static bool check_replaced_names(const Arguments *a)
{
    bool ok = true;
    for (int i = 0; option_set(a, OPT_IN_PLACE) && i < arguments_n_inputs(a) && ok; i++) {
        char *read = image_path_of_input(a->operands[i]);
        char *written = image_path_of_output(a->operands[i]);
        ok = strcmp(read, a->operands[i]) == 0 && strcmp(written, a->operands[i]) == 0;
        if (!ok)
            print_error(a->operands[i], "--in-place needs a file name without options");
        else if (path_is_special(read)) {
            print_error(read, "is not a file; --in-place replaces files");
            ok = false;
        }
        g_free(read);
        g_free(written);
    }
    return ok;
}

/* Options of libvips after the name of a folder would be part of its name, and have no effect. */
static bool check_folder_name(const Arguments *a)
{
    if (!a->output || !arguments_is_batch(a) || path_is_folder(a->output))
        return true;
    char *path = image_path_of_output(a->output);
    bool ok = strcmp(path, a->output) == 0;
    if (!ok)
        print_error(a->output, "is a folder; its options belong to --format, as in .jpg[strip]");
    g_free(path);
    return ok;
}

/* --format applies to standard output and to folders, because the name of a file has a suffix. */
static bool check_format(const Arguments *a)
{
    const char *output = arguments_last_output(a);
    if (!a->format || path_is_stream(output))
        return true;
    if (written_format(a->format, NULL))
        return true;
    if (a->subcommand != CMD_FILTER || !(arguments_is_batch(a) || path_is_folder(output))) {
        print_error(output, "--format has no effect, because the suffix selects the format");
        return false;
    }
    bool ok = a->format[0] == '.' && format_saver(a->format);
    if (!ok)
        print_error(a->format, "no format that cof writes has this suffix");
    return ok;
}

/* Whether --quality changes an output; prints an error if its name states a quality, too. */
static bool check_quality_of(const Arguments *a, const char *name, bool *has_effect)
{
    const char *format = path_is_stream(name) ? a->format : name;
    char *options = image_path_options(format ? format : "");
    bool twice = save_options_set(options, "Q");
    *has_effect |= !format || save_has_quality(format);
    if (twice)
        print_error(format, "its Q cannot be combined with --quality");
    g_free(options);
    return !twice;
}

static bool check_quality(const Arguments *a)
{
    const char *others[] = {a->residual, a->side_by_side, a->matte};
    int n = arguments_is_batch(a) ? a->n_operands : 1;
    bool ok = true, has_effect = false;
    if (!option_set(a, OPT_QUALITY))
        return true;
    for (int i = 0; i < n && ok; i++) {
        char *name = arguments_output(a, i);
        ok = check_quality_of(a, name, &has_effect);
        g_free(name);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(others) && ok; i++)
        ok = !others[i] || check_quality_of(a, others[i], &has_effect);
    if (ok && !has_effect)
        print_error("--quality", "has no effect, because no output has a lossy format");
    return ok && has_effect;
}

bool arguments_check_files(const Arguments *a)
{
    if (a->raw || a->subcommand == CMD_INFO)
        return true;
    if (!check_replaced_names(a) || !check_folder_name(a) || !check_format(a) || !check_quality(a))
        return false;
    if (files_of_arguments)
        g_hash_table_destroy(files_of_arguments);
    files_of_arguments = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_use);
    add_inputs(files_of_arguments, a);
    return add_main_outputs(files_of_arguments, a) && add_other_outputs(files_of_arguments, a) &&
           check_companions();
}
