/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes rows of tiles ahead of those who read them. libvips computes few lines before it has
 * written the last ones: otherwise, no tile would be computed while a row of tiles is compressed,
 * which may take as long. */
#include "vips_ahead.h"

#include <stdbool.h>

typedef struct Ahead {
    VipsImage *tiles;
    int tile_width, tile_height, columns, rows;
    int lines;            /* that are read together */
    GThreadPool *threads; /* that compute tiles */
    int n_threads;
    GMutex lock; /* of the following */
    GCond computed;
    int asked;       /* rows of tiles that were asked for in this run, from the first one on */
    int pending;     /* tiles that were asked for and are not computed yet */
    bool is_useless; /* no thread could be started */
} Ahead;

/* Whether each tile that is not computed yet has a thread. */
static bool none_waits(Ahead *ahead)
{
    g_mutex_lock(&ahead->lock);
    bool none = ahead->pending <= ahead->n_threads;
    g_mutex_unlock(&ahead->lock);
    return none;
}

/* Asks the cache for one pixel, for which it computes the tile. A failure is met again by those who
 * read the tile. */
static void fill_cache(const Ahead *ahead, int tile)
{
    VipsRect pixel = {tile % ahead->columns * ahead->tile_width,
                      tile / ahead->columns * ahead->tile_height, 1, 1};
    VipsRegion *region = vips_region_new(ahead->tiles);
    vips_region_prepare(region, &pixel);
    g_object_unref(region);
}

static void compute_tile(void *data, void *user)
{
    Ahead *ahead = user;
    bool is_last = none_waits(ahead);
    fill_cache(ahead, GPOINTER_TO_INT(data) - 1);
    if (is_last)
        vips_thread_shutdown(); /* frees the memory that libvips keeps for this thread */
    g_mutex_lock(&ahead->lock);
    ahead->pending--;
    g_cond_broadcast(&ahead->computed);
    g_mutex_unlock(&ahead->lock);
}

/* Asks for the next row of tiles. */
static void ask(Ahead *ahead)
{
    int first = ahead->asked++ * ahead->columns;
    ahead->pending += ahead->columns;
    for (int i = first; i < first + ahead->columns; i++)
        if (!g_thread_pool_push(ahead->threads, GINT_TO_POINTER(i + 1), NULL))
            ahead->is_useless |= g_thread_pool_get_num_threads(ahead->threads) == 0;
}

/* Waits while the threads compute this row of tiles. If it is the next one, it is asked for. Other
 * rows are there, or the reader computes them. */
static void await_row(Ahead *ahead, int row)
{
    g_mutex_lock(&ahead->lock);
    if (row == ahead->asked)
        ask(ahead);
    while (row == ahead->asked - 1 && ahead->pending > 0 && !ahead->is_useless)
        g_cond_wait(&ahead->computed, &ahead->lock);
    g_mutex_unlock(&ahead->lock);
}

/* The image may be read more than once. */
static void start_run(Ahead *ahead)
{
    g_mutex_lock(&ahead->lock);
    ahead->asked = 0;
    g_mutex_unlock(&ahead->lock);
}

/* Asks for the next row of tiles when all strips down to this line have been read. Nothing is then
 * read of the row before this one any more. */
static void has_read(Ahead *ahead, int line)
{
    int row = line / ahead->tile_height + 1;
    bool is_late = line % ahead->tile_height + 1 >= MIN(ahead->lines, ahead->tile_height);
    g_mutex_lock(&ahead->lock);
    if (is_late && row == ahead->asked && row < ahead->rows)
        ask(ahead);
    g_mutex_unlock(&ahead->lock);
}

/* Other parts than strips are computed by those who read them. */
static int read_strip(VipsRegion *strip, void *sequence, void *a, void *b, gboolean *stop)
{
    (void)a, (void)stop;
    VipsRegion *tiles = sequence;
    Ahead *ahead = b;
    const VipsRect *r = &strip->valid;
    bool is_strip = r->width == strip->im->Xsize;
    int last = VIPS_RECT_BOTTOM(r) - 1;
    if (is_strip && r->top == 0)
        start_run(ahead);
    if (is_strip)
        await_row(ahead, last / ahead->tile_height);
    if (vips_region_prepare(tiles, r) != 0 ||
        vips_region_region(strip, tiles, r, r->left, r->top) != 0)
        return -1;
    if (is_strip)
        has_read(ahead, last);
    return 0;
}

static void free_ahead(void *data)
{
    Ahead *ahead = data;
    g_thread_pool_free(ahead->threads, TRUE, TRUE);
    g_cond_clear(&ahead->computed);
    g_mutex_clear(&ahead->lock);
    g_object_unref(ahead->tiles);
    g_free(ahead);
}

int ahead_of_strips(VipsImage *tiles, int tile_width, int tile_height, VipsImage **out)
{
    Ahead *ahead = g_new0(Ahead, 1);
    ahead->tiles = g_object_ref(tiles);
    ahead->tile_width = tile_width;
    ahead->tile_height = tile_height;
    ahead->columns = (tiles->Xsize - 1) / tile_width + 1;
    ahead->rows = (tiles->Ysize - 1) / tile_height + 1;
    ahead->n_threads = vips_concurrency_get();
    ahead->threads = g_thread_pool_new(compute_tile, ahead, ahead->n_threads, FALSE, NULL);
    g_mutex_init(&ahead->lock);
    g_cond_init(&ahead->computed);
    VipsImage *strips = vips_image_new();
    g_object_set_data_full(G_OBJECT(strips), "cof-ahead", ahead, free_ahead);
    if (vips_image_pipelinev(strips, VIPS_DEMAND_STYLE_ANY, tiles, NULL) != 0 ||
        vips_image_generate(strips, vips_start_one, read_strip, vips_stop_one, tiles, ahead) != 0) {
        g_object_unref(strips);
        return -1;
    }
    int width, height;
    strips->dhint = VIPS_DEMAND_STYLE_FATSTRIP; /* the cache asks for small tiles */
    vips_get_tile_size(strips, &width, &height, &ahead->lines);
    *out = strips;
    return 0;
}
