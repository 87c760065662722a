/* SPDX-License-Identifier: BSD-2-Clause */
/* cof recolour: changes the colour of the selection. */
#include "commands/commands.h"
#include "figures/comparison.h"
#include "io/colour_profile.h"
#include "io/image_file.h"
#include "options/colour_names.h"
#include "select/matting.h"
#include "select/scribble_mask.h"
#include "select/tinting.h"
#include "ui/device_note.h"
#include "ui/error_line.h"
#include "vips/device_check.h"
#include "vips/output_image.h"

/* Repeats the tinting of cof_recolour() in sRGB, for an image with another profile. */
static bool tint_in_profile(const LoadedImage *source, const double colour[3], VipsImage *mask,
                            const CofImage *matte, const CofImage *out, const CofOptions *options,
                            const char *name)
{
    VipsImage *tinted = tinted_image(source, colour, mask, options, name);
    if (!tinted)
        return false;
    CofImage view = pixels_whole(&source->pixels, tinted);
    bool ok = cof_blend(matte, &view, &source->view, out, options) == COF_OK ||
              print_cof_problem(name, options->problem);
    g_object_unref(tinted);
    return ok;
}

static VipsImage *recolour(const Arguments *a, const LoadedImage *source, VipsImage *mask,
                           VipsImage *matte)
{
    const char *name = a->operands[0];
    CofProblem problem;
    CofReport report = {.struct_size = sizeof report};
    CofOptions options = a->options;
    options.problem = &problem;
    options.report = &report;
    double colour[3];
    parse_colour(a->colour, colour);
    CofImage painted, mask_view = single_band_view(mask), matte_view = single_band_view(matte);
    VipsImage *memory = loaded_image_new_like(source, &painted, name), *out = NULL;
    if (!memory)
        return NULL;
    bool ok = cof_recolour(&source->view, &mask_view, colour, &painted, &matte_view, &options) ==
                  COF_OK ||
              print_cof_problem(name, &problem);
    device_note_see(report.device_note, false);
    if (ok && profile_is_foreign(source->original))
        ok = tint_in_profile(source, colour, mask, &matte_view, &painted, &options, name);
    if (ok)
        out = loaded_image_restore(source, memory, name);
    g_object_unref(memory);
    return out;
}

static bool save_all(const Arguments *a, const LoadedImage *source, VipsImage *out,
                     VipsImage *matte)
{
    if (!output_image_save(a, out, a->operands[1], source->original, a->operands[0], true))
        return false;
    return (!a->matte || matting_save(matte, a->matte)) &&
           (!a->side_by_side || comparison_save(side_by_side_image(source->original, out),
                                                a->side_by_side, source->original));
}

bool command_recolour(const Arguments *arguments)
{
    Arguments own = *arguments, *a = &own;
    LoadedImage source = {0};
    VipsImage *mask = NULL, *matte = NULL, *out = NULL;
    bool ok = device_open(a) && matting_check_files(a) &&
              loaded_image_open_input(&source, a, a->operands[0]);
    if (ok && source.view.kind != COF_KIND_RGB && source.view.kind != COF_KIND_RGBA) {
        print_error(a->operands[0], "an image without colours cannot be recoloured");
        ok = false;
    }
    if (ok) {
        mask = selection_mask(a, &source, a->operands[0]);
        matte = mask ? matting_new(&source, a->operands[0]) : NULL;
        out = matte ? recolour(a, &source, mask, matte) : NULL;
        ok = out && save_all(a, &source, out, matte);
    }
    VIPS_UNREF(mask);
    VIPS_UNREF(matte);
    VIPS_UNREF(out);
    loaded_image_close(&source);
    cof_context_free(&own.options.context);
    return ok;
}
