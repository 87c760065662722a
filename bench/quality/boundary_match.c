/* SPDX-License-Identifier: BSD-2-Clause */
/* As many pairs of pixels of two masks as can be made within a distance, each pixel in one pair: a
 * largest matching, by Hopcroft and Karp. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of one mask, and those of the other that are near enough to each: edges. */
typedef struct Graph {
    int n, edges;
    int *first; /* n + 1: where the edges of each begin */
    int *other;
    int *mate, *mate_of_other; /* -1: none */
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

/* Gives the pixels of a mask numbers; returns how many there are. */
static int number(const uint8_t *mask, int pixels, int *numbers)
{
    int n = 0;
    for (int i = 0; i < pixels; i++)
        numbers[i] = mask[i] ? n++ : -1;
    return n;
}

static void connect(Graph *g, const uint8_t *mask, const int *numbers, int width, int height,
                    const Step *steps, int n_steps)
{
    int vertex = 0;
    g->edges = 0;
    for (int i = 0; i < width * height; i++) {
        if (!mask[i])
            continue;
        g->first[vertex++] = g->edges;
        for (int s = 0; s < n_steps; s++) {
            int x = i % width + steps[s].x, y = i / width + steps[s].y;
            if (x >= 0 && x < width && y >= 0 && y < height && numbers[y * width + x] >= 0)
                g->other[g->edges++] = numbers[y * width + x];
        }
    }
    g->first[vertex] = g->edges;
}

/* The nearest that is free, for a start. */
static void match_greedily(Graph *g)
{
    for (int v = 0; v < g->n; v++)
        for (int e = g->first[v]; e < g->first[v + 1] && g->mate[v] < 0; e++)
            if (g->mate_of_other[g->other[e]] < 0) {
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
        int next = g->mate_of_other[g->other[g->arc[v]++]];
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

static void match(Graph *g, int n_other)
{
    memset(g->mate, -1, (size_t)g->n * sizeof *g->mate);
    memset(g->mate_of_other, -1, (size_t)n_other * sizeof *g->mate_of_other);
    match_greedily(g);
    while (search(g))
        for (int v = 0; v < g->n; v++)
            if (g->mate[v] < 0)
                augment(g, v);
}

/* Memory for masks of so many pixels; false: there is none. */
static bool graph_take(Graph *g, const uint8_t *mask, size_t pixels, int n_steps)
{
    for (size_t i = 0; i < pixels; i++)
        g->n += mask[i] != 0;
    size_t room = pixels + 1;
    int *memory = malloc((6 * room + (size_t)g->n * (size_t)n_steps) * sizeof *memory);
    if (!memory)
        return false;
    int **parts[] = {&g->first, &g->mate, &g->mate_of_other, &g->level, &g->arc, &g->queue};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = memory + i * room;
    g->other = memory + 6 * room;
    return true;
}

/* Writes which pixels have a partner, and returns how many pairs there are; -1: no memory. */
int boundary_match(const uint8_t *found, const uint8_t *drawn, int width, int height,
                   double distance, uint8_t *hit, uint8_t *met);

int boundary_match(const uint8_t *found, const uint8_t *drawn, int width, int height,
                   double distance, uint8_t *hit, uint8_t *met)
{
    int pixels = width * height, n_steps = 0, pairs = -1, vertex = 0;
    Step *steps = steps_within(distance, &n_steps);
    int *numbers = malloc((size_t)pixels * sizeof *numbers);
    Graph g = {0};
    if (steps && numbers && graph_take(&g, drawn, (size_t)pixels, n_steps)) {
        int n_found = number(found, pixels, numbers);
        connect(&g, drawn, numbers, width, height, steps, n_steps);
        match(&g, n_found);
        pairs = 0;
        for (int i = 0; i < pixels; i++) {
            met[i] = drawn[i] && g.mate[vertex++] >= 0;
            hit[i] = numbers[i] >= 0 && g.mate_of_other[numbers[i]] >= 0;
            pairs += met[i];
        }
    }
    free(g.first);
    free(numbers);
    free(steps);
    return pairs;
}
