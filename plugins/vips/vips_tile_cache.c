/* SPDX-License-Identifier: BSD-2-Clause */
/* A cache of tiles. libvips tells only the first who asks for a tile that it cannot be computed: it
 * keeps a black tile, which others get. So tiles that failed are noted, and parts of them are
 * computed without the cache, which fails again, or succeeds if the cause has gone. */
#include "vips_tile_cache.h"

#include <stdbool.h>

/* Tiles that could not be computed when this was last tried; usually none. */
typedef struct FailedTiles {
    GMutex lock;
    GArray *tiles; /* VipsRect */
} FailedTiles;

static FailedTiles *failed_tiles_new(void)
{
    FailedTiles *failed = g_atomic_rc_box_new0(FailedTiles);
    g_mutex_init(&failed->lock);
    failed->tiles = g_array_new(FALSE, FALSE, sizeof(VipsRect));
    return failed;
}

static void clear(void *data)
{
    FailedTiles *failed = data;
    g_mutex_clear(&failed->lock);
    g_array_free(failed->tiles, TRUE);
}

static void release(void *failed)
{
    g_atomic_rc_box_release_full(failed, clear);
}

static void note(FailedTiles *failed, const VipsRect *tile, bool has_failed)
{
    g_mutex_lock(&failed->lock);
    for (guint i = failed->tiles->len; i-- > 0;)
        if (vips_rect_equalsrect(&g_array_index(failed->tiles, VipsRect, i), tile))
            g_array_remove_index_fast(failed->tiles, i);
    if (has_failed)
        g_array_append_val(failed->tiles, *tile);
    g_mutex_unlock(&failed->lock);
}

static bool has_failed_in(FailedTiles *failed, const VipsRect *part)
{
    bool found = false;
    g_mutex_lock(&failed->lock);
    for (guint i = 0; i < failed->tiles->len && !found; i++)
        found = vips_rect_overlapsrect(&g_array_index(failed->tiles, VipsRect, i), part);
    g_mutex_unlock(&failed->lock);
    return found;
}

/* Computes a tile for the cache. */
static int compute_tile(VipsRegion *tile, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)a, (void)stop;
    VipsRegion *in = sequence;
    const VipsRect *r = &tile->valid;
    int failed =
        vips_region_prepare(in, r) != 0 || vips_region_region(tile, in, r, r->left, r->top) != 0;
    note(b, r, failed);
    return failed ? -1 : 0;
}

/* Reads a part: from the cache, or computes it if one of its tiles has failed. The second image of
 * the sequence is that without a cache. */
static int read_part(VipsRegion *part, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)a, (void)stop;
    VipsRegion **from = sequence, *source = from[0];
    const VipsRect *r = &part->valid;
    if (vips_region_prepare(source, r) != 0)
        return -1;
    if (has_failed_in(b, r)) {
        source = from[1];
        if (vips_region_prepare(source, r) != 0) {
            if (*vips_error_buffer() == '\0')
                vips_error("cof", "%s", "an earlier part of the image could not be computed");
            return -1;
        }
    }
    return vips_region_region(part, source, r, r->left, r->top);
}

/* Makes an image of the same pixels that notes which tiles fail. */
static int note_failures(VipsImage *in, FailedTiles *failed, VipsImage **out)
{
    VipsImage *noted = vips_image_new();
    g_object_set_data_full(G_OBJECT(noted), "cof-failed", g_atomic_rc_box_acquire(failed), release);
    if (vips_image_pipelinev(noted, VIPS_DEMAND_STYLE_SMALLTILE, in, NULL) != 0 ||
        vips_image_generate(noted, vips_start_one, compute_tile, vips_stop_one, in, failed) != 0) {
        g_object_unref(noted);
        return -1;
    }
    vips_object_local(noted, g_object_ref(in));
    *out = noted;
    return 0;
}

/* Makes an image that reads from the cache. */
static int read_cache(VipsImage *cached, VipsImage *in, FailedTiles *failed, VipsImage **out)
{
    VipsImage *parts = vips_image_new();
    g_object_set_data_full(G_OBJECT(parts), "cof-failed", g_atomic_rc_box_acquire(failed), release);
    VipsImage **images = vips_allocate_input_array(parts, cached, in, NULL);
    if (!images || vips_image_pipeline_array(parts, VIPS_DEMAND_STYLE_ANY, images) != 0 ||
        vips_image_generate(parts, vips_start_many, read_part, vips_stop_many, images, failed) !=
            0) {
        g_object_unref(parts);
        return -1;
    }
    vips_object_local(parts, g_object_ref(cached));
    vips_object_local(parts, g_object_ref(in));
    *out = parts;
    return 0;
}

int tile_cache(VipsImage *in, int tile_width, int tile_height, int max_tiles, VipsImage **out)
{
    FailedTiles *failed = failed_tiles_new();
    VipsImage *noted = NULL, *cached = NULL;
    int result = note_failures(in, failed, &noted) != 0 ||
                 vips_tilecache(noted, &cached, "tile_width", tile_width, "tile_height",
                                tile_height, "max_tiles", max_tiles, "access", VIPS_ACCESS_RANDOM,
                                "threaded", TRUE, NULL) != 0 ||
                 read_cache(cached, in, failed, out) != 0;
    VIPS_UNREF(noted);
    VIPS_UNREF(cached);
    release(failed);
    return result ? -1 : 0;
}
