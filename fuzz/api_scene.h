/* SPDX-License-Identifier: BSD-2-Clause */
/* What a call of the public API is given in the fuzz target: images, a region of interest, options,
 * and the models that some functions need. All of it comes from the input. */
#ifndef COF_FUZZ_API_SCENE_H
#define COF_FUZZ_API_SCENE_H

#include "cof/cof.h"
#include "guarded_image.h"
#include "input.h"

typedef struct Scene {
    GuardedImage image, other; /* of the same size, kind and sample type */
    GuardedImage mask;         /* grey U8, also scribbles and labels */
    GuardedImage background;   /* grey U8, scribbles */
    GuardedImage prior;        /* grey, any sample type */
    CofRoi roi;
    const CofRoi *region; /* &roi or NULL */
    CofOptions options;
    uint8_t out_layout;
    CofModel *model, *foreground; /* NULL unless they were learned */
    CofRect tile;                 /* inside the image, not empty */
    double number;                /* -4 to 4 */
    int choice;                   /* 0 to 255 */
} Scene;

/* Creates a scene, without models. */
void scene_new(Scene *scene, Input *input);
void scene_free(Scene *scene);

/* The part of the scene around a tile, as views of the same pixels. */
typedef struct SceneViews {
    CofImage image, other, mask, background, prior;
} SceneViews;

SceneViews scene_whole(const Scene *scene);
SceneViews scene_part(const Scene *scene, CofRect rect);

/* Makes one field of a view invalid; the library must then refuse it. 0 does nothing. */
void spoil(CofImage *view, int how);
enum { SPOIL_COUNT = 16 };

#endif
