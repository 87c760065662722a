/* SPDX-License-Identifier: BSD-2-Clause */
/* As many pairs of pixels as can be made within a distance, one of each being drawn and the other
 * found, each pixel in one pair: a largest matching, by Hopcroft and Karp. What is found grows as a
 * threshold falls; each matching goes on from that of the threshold before. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Pixels that are drawn, and those near enough to each: edges. */
typedef struct Graph {
    int n;
    int *first;                /* n + 1: where the edges of each begin */
    int *other;                /* a pixel */
    const float *strength;     /* of each pixel */
    float threshold;           /* those below it are not there yet */
    int *mate, *mate_of_other; /* -1: none; by number of what is drawn, and by pixel */
    int *level, *arc, *queue;  /* of the search: -1 = not reached; the next edge to try */
} Graph;

typedef struct Step {
    int x, y, squared;
} Step;

static int nearer(const void *a, const void *b)
{
    const Step *one = a, *two = b;
    if (one->squared != two->squared)
        return one->squared - two->squared;
    return one->y != two->y ? one->y - two->y : one->x - two->x;
}

/* All steps within a distance, the shortest first. */
static Step *steps_within(double distance, int *n)
{
    int most = (int)distance;
    Step *steps = malloc((size_t)(2 * most + 1) * (size_t)(2 * most + 1) * sizeof *steps);
    *n = 0;
    for (int y = -most; steps && y <= most; y++)
        for (int x = -most; x <= most; x++)
            if (x * x + y * y <= distance * distance)
                steps[(*n)++] = (Step){x, y, x * x + y * y};
    if (steps)
        qsort(steps, (size_t)*n, sizeof *steps, nearer);
    return steps;
}

/* Edges to all that are ever found. */
static void connect(Graph *g, const uint8_t *drawn, int width, int height, const Step *steps,
                    int n_steps, float lowest)
{
    int vertex = 0, edges = 0;
    for (int i = 0; i < width * height; i++) {
        if (!drawn[i])
            continue;
        g->first[vertex++] = edges;
        for (int s = 0; s < n_steps; s++) {
            int x = i % width + steps[s].x, y = i / width + steps[s].y;
            if (x >= 0 && x < width && y >= 0 && y < height && g->strength[y * width + x] >= lowest)
                g->other[edges++] = y * width + x;
        }
    }
    g->first[vertex] = edges;
}

static bool is_there(const Graph *g, int edge)
{
    return g->strength[g->other[edge]] >= g->threshold;
}

/* The nearest that is free, for a start. */
static void match_greedily(Graph *g)
{
    for (int v = 0; v < g->n; v++)
        for (int e = g->first[v]; e < g->first[v + 1] && g->mate[v] < 0; e++)
            if (is_there(g, e) && g->mate_of_other[g->other[e]] < 0) {
                g->mate[v] = g->other[e];
                g->mate_of_other[g->other[e]] = v;
            }
}

/* How far each is from those that are alone, along paths that take turns between edges outside and
 * inside the matching; returns false if no path leads to one of the others that is alone. */
static bool search(Graph *g)
{
    int head = 0, tail = 0;
    bool found = false;
    for (int v = 0; v < g->n; v++) {
        g->arc[v] = g->first[v];
        g->level[v] = g->mate[v] < 0 ? 0 : -1;
        if (g->mate[v] < 0)
            g->queue[tail++] = v;
    }
    while (head < tail) {
        int v = g->queue[head++];
        for (int e = g->first[v]; e < g->first[v + 1]; e++) {
            if (!is_there(g, e))
                continue;
            int next = g->mate_of_other[g->other[e]];
            found |= next < 0;
            if (next >= 0 && g->level[next] < 0) {
                g->level[next] = g->level[v] + 1;
                g->queue[tail++] = next;
            }
        }
    }
    return found;
}

/* Follows one path to its end and turns it over; `path` is the queue, which is free now. */
static bool augment(Graph *g, int start)
{
    int *path = g->queue, depth = 0;
    path[0] = start;
    while (depth >= 0) {
        int v = path[depth];
        if (g->arc[v] == g->first[v + 1]) {
            g->level[v] = -1; /* a dead end, for all that come this way */
            depth--;
            continue;
        }
        int edge = g->arc[v]++;
        if (!is_there(g, edge))
            continue;
        int next = g->mate_of_other[g->other[edge]];
        if (next >= 0 && g->level[next] == g->level[v] + 1)
            path[++depth] = next;
        if (next >= 0)
            continue;
        for (; depth >= 0; depth--) {
            v = path[depth];
            g->mate[v] = g->other[g->arc[v] - 1];
            g->mate_of_other[g->mate[v]] = v;
        }
        return true;
    }
    return false;
}

static void match(Graph *g)
{
    match_greedily(g);
    while (search(g))
        for (int v = 0; v < g->n; v++)
            if (g->mate[v] < 0)
                augment(g, v);
}

/* Memory for so many pixels, none of which has a partner yet; false: there is none. */
static bool graph_take(Graph *g, const uint8_t *drawn, size_t pixels, int n_steps)
{
    for (size_t i = 0; i < pixels; i++)
        g->n += drawn[i] != 0;
    size_t room = pixels + 1;
    int *memory = malloc((6 * room + (size_t)g->n * (size_t)n_steps) * sizeof *memory);
    if (!memory)
        return false;
    int **parts[] = {&g->first, &g->mate, &g->mate_of_other, &g->level, &g->arc, &g->queue};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = memory + i * room;
    g->other = memory + 6 * room;
    memset(g->mate, -1, 2 * room * sizeof *g->mate);
    return true;
}

static void mark(const Graph *g, uint8_t *hits, int64_t *met)
{
    for (int v = 0; v < g->n; v++)
        if (g->mate[v] >= 0) {
            hits[g->mate[v]] = 1;
            ++*met;
        }
}

/* Found is what reaches a threshold; those fall. Marks in `hits`, an image for each threshold, the
 * found pixels that have a partner, and adds to `met` how many drawn ones have. -1: no memory. */
int boundary_match(const float *strength, const uint8_t *drawn, int width, int height,
                   double distance, const float *thresholds, int n, uint8_t *hits, int64_t *met);

int boundary_match(const float *strength, const uint8_t *drawn, int width, int height,
                   double distance, const float *thresholds, int n, uint8_t *hits, int64_t *met)
{
    size_t pixels = (size_t)width * (size_t)height;
    int n_steps = 0;
    Step *steps = steps_within(distance, &n_steps);
    Graph g = {.strength = strength};
    bool ready = steps && graph_take(&g, drawn, pixels, n_steps);
    if (ready)
        connect(&g, drawn, width, height, steps, n_steps, thresholds[n - 1]);
    for (int i = 0; ready && i < n; i++) {
        g.threshold = thresholds[i];
        match(&g);
        mark(&g, hits + (size_t)i * pixels, &met[i]);
    }
    free(g.first);
    free(steps);
    return ready ? 0 : -1;
}
