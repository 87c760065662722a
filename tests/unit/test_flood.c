/* SPDX-License-Identifier: BSD-2-Clause */
/* The watershed, connected parts of masks and what corrections clear, against naive references. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/call.h"
#include "filter/selection_correct.h"
#include "image/flood.h"
#include "image/mask_parts.h"
#include "testing.h"

enum { MAX_PIXELS = 900, LABELS = 3 };

/* An image with markers of one or more labels. */
typedef struct Basin {
    int width, height, n;
    uint16_t levels[MAX_PIXELS];
    uint8_t markers[MAX_PIXELS], labels[MAX_PIXELS];
} Basin;

static int neighbours_of(int width, int height, int pixel, int found[4])
{
    int n = 0, x = pixel % width, y = pixel / width;
    if (x > 0)
        found[n++] = pixel - 1;
    if (x < width - 1)
        found[n++] = pixel + 1;
    if (y > 0)
        found[n++] = pixel - width;
    if (y < height - 1)
        found[n++] = pixel + width;
    return n;
}

static Basin basin_new(Random *random, int width, int height, int highest, double marked)
{
    Basin b = {.width = width, .height = height, .n = width * height};
    assert_in_range(b.n, 1, MAX_PIXELS);
    for (int i = 0; i < b.n; i++) {
        b.levels[i] = (uint16_t)random_int(random, 0, highest);
        if (random_chance(random, marked))
            b.markers[i] = (uint8_t)random_int(random, 1, LABELS);
    }
    b.markers[random_int(random, 0, b.n - 1)] = 1;
    memcpy(b.labels, b.markers, sizeof b.labels);
    return b;
}

static void flood(Basin *b)
{
    CofiCall call;
    assert_ok(cofi_call_begin(&call, NULL));
    assert_ok(cofi_flood(&call, b->levels, b->width, b->height, b->labels));
    assert_ok(cofi_call_end(&call, COF_OK));
    for (int i = 0; i < b->n; i++) {
        assert_in_range(b->labels[i], 1, LABELS);
        if (b->markers[i])
            assert_int_equal(b->labels[i], b->markers[i]);
    }
}

/* The cost of the cheapest path from a marker of the label to each pixel, by relaxing every edge
 * until nothing changes. A path costs its highest level or, if `sums` is set, its length. */
static void find_costs(const Basin *b, uint8_t label, bool sums, int *costs)
{
    for (int i = 0; i < b->n; i++)
        costs[i] = b->markers[i] == label ? 0 : 1 << 20;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < b->n; i++) {
            int near[4], count = neighbours_of(b->width, b->height, i, near);
            for (int j = 0; j < count; j++) {
                int before = costs[near[j]];
                int cost = sums ? before + 1 : before > b->levels[i] ? before : b->levels[i];
                if (cost < costs[i]) {
                    costs[i] = cost;
                    changed = true;
                }
            }
        }
    }
}

/* Returns how many pixels could be checked: those that one label reaches at a lower cost than all
 * others. */
static int check_basin(const Basin *b, bool sums)
{
    static int costs[LABELS + 1][MAX_PIXELS];
    int checked = 0;
    for (uint8_t label = 1; label <= LABELS; label++)
        find_costs(b, label, sums, costs[label]);
    for (int i = 0; i < b->n; i++) {
        int best = 1, equals = 0;
        for (int label = 2; label <= LABELS; label++)
            best = costs[label][i] < costs[best][i] ? label : best;
        for (int label = 1; label <= LABELS; label++)
            equals += costs[label][i] == costs[best][i];
        /* Of those that are equal, one wins. */
        assert_int_equal(costs[b->labels[i]][i], costs[best][i]);
        if (equals == 1)
            assert_int_equal(b->labels[i], best);
        checked += equals == 1;
    }
    return checked;
}

static void water_takes_the_lowest_way(void **state)
{
    (void)state;
    static const int sides[][2] = {{30, 30}, {17, 23}, {1, 40}, {40, 1}, {1, 1}, {2, 2}, {90, 2}};
    static const int highest[] = {COFI_FLOOD_LEVELS - 1, 7, 1, 0, 300};
    int checked = 0, all = 0;
    for (current_seed = 1; current_seed <= 300; current_seed++) {
        Random random = {current_seed};
        const int *side = sides[current_seed % 7];
        Basin b = basin_new(&random, side[0], side[1], highest[current_seed % 5],
                            current_seed % 3 ? 0.01 : 0.1);
        flood(&b);
        checked += check_basin(&b, false);
        all += b.n;
    }
    current_seed = 0;
    print_message("%d of %d pixels have one lowest way\n", checked, all);
    assert_true(checked > all / 5);
}

/* If no two levels are equal, the label that arrives first at a pixel is known: the one that
 * reaches a neighbour at the lowest cost or, where several reach it over one saddle, that of the
 * saddle. */
static void check_distinct(const Basin *b, const int *pixel_of_level)
{
    static int costs[LABELS + 1][MAX_PIXELS];
    for (uint8_t label = 1; label <= LABELS; label++)
        find_costs(b, label, false, costs[label]);
    for (int i = 0; i < b->n; i++) {
        int near[4], count = neighbours_of(b->width, b->height, i, near), equals = 0;
        int lowest[LABELS + 1], best = 1;
        for (int label = 1; label <= LABELS; label++) {
            lowest[label] = 1 << 20;
            for (int j = 0; j < count; j++)
                if (costs[label][near[j]] < lowest[label])
                    lowest[label] = costs[label][near[j]];
            best = lowest[label] < lowest[best] ? label : best;
        }
        for (int label = 1; label <= LABELS; label++)
            equals += lowest[label] == lowest[best];
        if (b->markers[i] || (equals > 1 && lowest[best] == 0))
            continue; /* a marker, or a pixel between two */
        assert_int_equal(b->labels[i],
                         equals == 1 ? best : b->labels[pixel_of_level[lowest[best]]]);
    }
}

static void a_saddle_decides_for_its_basin(void **state)
{
    (void)state;
    static const int sides[][2] = {{30, 30}, {13, 24}, {1, 40}, {40, 1}, {2, 90}};
    for (current_seed = 1; current_seed <= 200; current_seed++) {
        Random random = {current_seed};
        const int *side = sides[current_seed % 5];
        Basin b = basin_new(&random, side[0], side[1], 0, current_seed % 2 ? 0.01 : 0.05);
        int pixel_of_level[MAX_PIXELS + 1];
        for (int i = 0; i < b.n; i++) { /* levels 1..n in random order */
            int other = random_int(&random, 0, i);
            b.levels[i] = b.levels[other];
            b.levels[other] = (uint16_t)(i + 1);
        }
        for (int i = 0; i < b.n; i++)
            pixel_of_level[b.levels[i]] = i;
        flood(&b);
        check_distinct(&b, pixel_of_level);
    }
    current_seed = 0;
}

/* On a plain, the nearest marker wins. */
static void water_spreads_evenly(void **state)
{
    (void)state;
    for (current_seed = 1; current_seed <= 50; current_seed++) {
        Random random = {current_seed};
        Basin b = basin_new(&random, 30, 25, 0, 0.01);
        for (int i = 0; i < b.n; i++)
            b.levels[i] = (uint16_t)(current_seed * 80);
        flood(&b);
        assert_true(check_basin(&b, true) > b.n / 4);
    }
    current_seed = 0;
}

static void labels_stay(void **state)
{
    (void)state;
    Random random = {3};
    Basin b = basin_new(&random, 20, 20, 4000, 0.1), none = b;
    for (int i = 0; i < b.n; i++)
        b.markers[i] = b.labels[i] = (uint8_t)(1 + i % LABELS);
    flood(&b);
    CofiCall call;
    memset(none.labels, 0, sizeof none.labels);
    assert_ok(cofi_call_begin(&call, NULL));
    assert_ok(cofi_flood(&call, none.levels, none.width, none.height, none.labels));
    assert_ok(cofi_call_end(&call, COF_OK));
    for (int i = 0; i < none.n; i++) /* there is no water */
        assert_int_equal(none.labels[i], 0);
}

/* Numbers connected parts of equal bytes by the smallest index in each. */
static void find_parts(const uint8_t *bytes, int width, int height, int *parts)
{
    int n = width * height;
    for (int i = 0; i < n; i++)
        parts[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++) {
            int near[4], count = neighbours_of(width, height, i, near);
            for (int j = 0; j < count; j++)
                if (bytes[near[j]] == bytes[i] && parts[near[j]] < parts[i]) {
                    parts[i] = parts[near[j]];
                    changed = true;
                }
        }
    }
}

static void remove_naively(uint8_t *labels, const uint8_t *markers, int width, int height,
                           size_t smallest)
{
    int n = width * height, parts[MAX_PIXELS];
    for (uint8_t label = 1; label <= 2; label++) {
        size_t sizes[MAX_PIXELS] = {0};
        bool stays[MAX_PIXELS] = {false};
        find_parts(labels, width, height, parts);
        for (int i = 0; i < n; i++) {
            sizes[parts[i]]++;
            stays[parts[i]] |= markers[i] == labels[i];
        }
        for (int i = 0; i < n; i++)
            if (labels[i] == label && sizes[parts[i]] < smallest && !stays[parts[i]])
                labels[i] = (uint8_t)(3 - label);
    }
}

static void small_parts_are_removed(void **state)
{
    (void)state;
    int changed = 0;
    for (current_seed = 1; current_seed <= 300; current_seed++) {
        Random random = {current_seed};
        int width = random_int(&random, 1, 30), height = random_int(&random, 1, 30);
        uint8_t labels[MAX_PIXELS], markers[MAX_PIXELS] = {0}, expected[MAX_PIXELS];
        size_t smallest = (size_t)random_int(&random, 0, 20), n = (size_t)(width * height);
        for (size_t i = 0; i < n; i++) {
            labels[i] = random_chance(&random, 0.35) ? 1 : 2;
            if (random_chance(&random, 0.02))
                markers[i] = (uint8_t)random_int(&random, 1, 2);
        }
        memcpy(expected, labels, n);
        remove_naively(expected, markers, width, height, smallest);
        changed += memcmp(expected, labels, n) != 0;
        CofiCall call;
        assert_ok(cofi_call_begin(&call, NULL));
        assert_ok(cofi_remove_small_parts(&call, labels, markers, width, height, smallest));
        assert_ok(cofi_call_end(&call, COF_OK));
        assert_memory_equal(labels, expected, n);
    }
    current_seed = 0;
    assert_true(changed > 100);
}

/* One pass: each part below `smallest` takes the label of its longest border. Pixels without data
 * have labels of their own, so that parts end there. */
static void merge_pass_naively(uint8_t *labels, const uint8_t *valid, int width, int height,
                               size_t smallest)
{
    int n = width * height, parts[MAX_PIXELS];
    for (int first = 0; first < n; first++) {
        size_t size = 0, borders[LABELS] = {0};
        uint8_t seen[MAX_PIXELS], old = labels[first], best = old;
        for (int i = 0; i < n; i++)
            seen[i] = valid[i] ? labels[i] : UINT8_MAX;
        find_parts(seen, width, height, parts);
        for (int i = 0; i < n && valid[first]; i++)
            size += parts[i] == parts[first];
        for (int i = 0; i < n && size > 0 && size < smallest; i++) {
            int near[4], count = neighbours_of(width, height, i, near);
            for (int j = 0; j < count && parts[i] == parts[first]; j++)
                borders[labels[near[j]]] += seen[near[j]] != UINT8_MAX && labels[near[j]] != old;
        }
        for (uint8_t i = 0; i < LABELS; i++)
            if (borders[i] > (best == old ? 0 : borders[best]))
                best = i;
        for (int i = 0; i < n; i++)
            if (parts[i] == parts[first] && valid[first])
                labels[i] = best;
    }
}

static void small_parts_are_merged(void **state)
{
    (void)state;
    int changed = 0;
    for (current_seed = 1; current_seed <= 150; current_seed++) {
        Random random = {current_seed};
        int width = random_int(&random, 1, 18), height = random_int(&random, 1, 18);
        uint8_t labels[MAX_PIXELS], valid[MAX_PIXELS], expected[MAX_PIXELS];
        size_t smallest = (size_t)random_int(&random, 0, 30), n = (size_t)(width * height);
        bool has_gaps = random_chance(&random, 0.5);
        for (size_t i = 0; i < n; i++) {
            labels[i] = i > 0 && random_chance(&random, 0.5)
                            ? labels[i - 1]
                            : (uint8_t)random_int(&random, 0, LABELS - 1);
            valid[i] = !has_gaps || random_chance(&random, 0.8);
        }
        memcpy(expected, labels, n);
        for (size_t size = 2; size / 2 < smallest; size *= 2)
            merge_pass_naively(expected, valid, width, height, size < smallest ? size : smallest);
        changed += memcmp(expected, labels, n) != 0;
        CofiCall call;
        assert_ok(cofi_call_begin(&call, NULL));
        assert_ok(cofi_merge_small_parts(&call, labels, valid, width, height, smallest));
        assert_ok(cofi_call_end(&call, COF_OK));
        assert_memory_equal(labels, expected, n);
    }
    current_seed = 0;
    assert_true(changed > 50);
}

static void what_is_enclosed_is_cleared(void **state)
{
    (void)state;
    int cleared = 0;
    for (current_seed = 1; current_seed <= 200; current_seed++) {
        Random random = {current_seed};
        int width = random_int(&random, 1, 30), height = random_int(&random, 1, 30);
        uint8_t bytes[MAX_PIXELS], before[MAX_PIXELS];
        bool outside[MAX_PIXELS] = {false};
        int parts[MAX_PIXELS], n = width * height;
        for (int i = 0; i < n; i++)
            before[i] = bytes[i] = random_chance(&random, 0.5);
        find_parts(bytes, width, height, parts);
        for (int i = 0; i < n; i++) {
            int x = i % width, y = i / width;
            outside[parts[i]] |= x == 0 || y == 0 || x == width - 1 || y == height - 1;
        }
        CofiCall call;
        assert_ok(cofi_call_begin(&call, NULL));
        assert_ok(cofi_keep_at_border(&call, bytes, width, height));
        assert_ok(cofi_call_end(&call, COF_OK));
        for (int i = 0; i < n; i++)
            assert_int_equal(bytes[i], before[i] && outside[parts[i]]);
        cleared += memcmp(bytes, before, (size_t)n) != 0;
    }
    current_seed = 0;
    assert_true(cleared > 100);
}

/* Numbers the places: pixels with the same new mark, connected over sides and corners. 0: no new
 * mark. */
static void find_places(const uint8_t *marks, const uint8_t *last, int width, int height,
                        int *places)
{
    for (int i = 0; i < width * height; i++)
        places[i] = marks[i] != last[i] ? i + 1 : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < width * height; i++)
            for (int j = 0; j < width * height; j++)
                if (places[i] > places[j] && places[j] && marks[i] == marks[j] &&
                    abs(i % width - j % width) <= 1 && abs(i / width - j / width) <= 1) {
                    places[i] = places[j];
                    changed = true;
                }
    }
}

static void clear_naively(const int *places, int place, int width, int height, uint8_t *labels)
{
    int left = width, right = -1, top = height, bottom = -1;
    for (int i = 0; i < width * height; i++)
        if (places[i] == place) {
            left = i % width < left ? i % width : left;
            right = i % width > right ? i % width : right;
            top = i / width < top ? i / width : top;
            bottom = i / width > bottom ? i / width : bottom;
        }
    int reach = (int)(3 * hypot(right - left + 1, bottom - top + 1) + 0.01 * hypot(width, height));
    for (int i = 0; i < width * height && right >= 0; i++)
        if (i % width >= left - reach && i % width <= right + reach && i / width >= top - reach &&
            i / width <= bottom + reach)
            labels[i] = 0;
}

static void clear(const uint8_t *marks, const uint8_t *last, int width, int height, uint8_t *labels)
{
    CofiCall call;
    assert_ok(cofi_call_begin(&call, NULL));
    assert_ok(cofi_clear_near_changes(&call, marks, last, width, height, 3, labels));
    assert_ok(cofi_call_end(&call, COF_OK));
}

static void corrections_clear_what_is_near(void **state)
{
    (void)state;
    int kept = 0;
    for (current_seed = 1; current_seed <= 60; current_seed++) {
        Random random = {current_seed};
        int places[MAX_PIXELS], width = random_int(&random, 1, 30);
        int height = random_int(&random, 1, 30), n = width * height;
        uint8_t marks[MAX_PIXELS], last[MAX_PIXELS], labels[MAX_PIXELS], expected[MAX_PIXELS];
        double changed = random_chance(&random, 0.3) ? 0.2 : 0.003;
        for (int i = 0; i < n; i++) {
            last[i] = (uint8_t)random_int(&random, 0, 2);
            marks[i] =
                random_chance(&random, changed) ? (uint8_t)random_int(&random, 0, 2) : last[i];
            labels[i] = expected[i] = (uint8_t)random_int(&random, 1, 2);
        }
        find_places(marks, last, width, height, places);
        for (int place = 1; place <= n; place++)
            clear_naively(places, place, width, height, expected);
        clear(marks, last, width, height, labels);
        assert_memory_equal(labels, expected, (size_t)n);
        kept += memchr(labels, 1, (size_t)n) || memchr(labels, 2, (size_t)n);
    }
    current_seed = 0;
    assert_in_range(kept, 10, 59);
}

/* Lines of which each clears nearly everything: the time must not grow with their areas. */
static void many_corrections_take_no_longer(void **state)
{
    (void)state;
    enum { SIDE = 2000 };
    const size_t n = SIDE * SIDE;
    uint8_t *marks = calloc(n, 1), *last = calloc(n, 1), *labels = calloc(n, 1);
    assert_true(marks && last && labels);
    for (size_t i = 0; i < n; i++)
        marks[i] = labels[i] = i / SIDE % 2 == 0 && i % SIDE % 500 != 0;
    clear(marks, last, SIDE, SIDE, labels);
    assert_null(memchr(labels, 1, n));
    free(marks);
    free(last);
    free(labels);
}

int main(void)
{
#define SEEDED(test) cmocka_unit_test_teardown(test, name_seed)
    const struct CMUnitTest tests[] = {
        SEEDED(water_takes_the_lowest_way),
        SEEDED(a_saddle_decides_for_its_basin),
        SEEDED(water_spreads_evenly),
        cmocka_unit_test(labels_stay),
        SEEDED(small_parts_are_removed),
        SEEDED(small_parts_are_merged),
        SEEDED(what_is_enclosed_is_cleared),
        SEEDED(corrections_clear_what_is_near),
        cmocka_unit_test(many_corrections_take_no_longer),
    };
    return cmocka_run_group_tests_name("flood", tests, NULL, NULL);
}
