/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks count_row and hash_row: the first against a loop that says the same in other words, the
 * second against C. */
#include "kernels_check.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 255

/* A case: what the labels are, and whether some are not members. */
typedef struct Case {
    int n, width, k;
    bool members, strangers /* labels from k on */, uniform /* one label, one place */;
    bool symmetric; /* columns at the same distance from the middle have the same table */
} Case;

typedef struct Row {
    uint8_t *labels, *members;
    uint32_t *places;
} Row;

static uint8_t label_of(Random *random, const Case *c)
{
    if (c->uniform)
        return (uint8_t)(c->k - 1);
    if (c->strangers && random_below(random, 4) == 0)
        return (uint8_t)(random_below(random, 2) ? 255 : random_below(random, 256));
    return (uint8_t)random_below(random, (uint32_t)c->k);
}

static Row make_row(Random *random, const Case *c)
{
    /* Places lie so that the last one needed is the last one there. */
    int last = c->uniform ? 0 : c->n + (int)random_below(random, 50);
    size_t size = (size_t)(last + c->width) + COFI_OVERREAD;
    Wall wall = random_below(random, 2) ? WALL_AFTER : WALL_BEFORE;
    Row row = {.labels = guarded(size, wall),
               .members = c->members ? guarded(size, wall) : NULL,
               .places = guarded((size_t)c->n * sizeof(uint32_t), wall)};
    for (size_t i = 0; i < size; i++) {
        row.labels[i] = label_of(random, c);
        if (c->members)
            row.members[i] = (uint8_t)random_below(random, 4);
    }
    for (int i = 0; i < c->n; i++)
        row.places[i] = i == 0 ? (uint32_t)last : random_below(random, (uint32_t)last + 1);
    return row;
}

static void count_plainly(const Row *row, const Case *c, const int *tables, uint16_t *counts)
{
    for (int i = 0; i < c->n; i++)
        for (int dx = 0; dx < c->width; dx++) {
            uint32_t place = row->places[i] + (uint32_t)dx;
            bool members = !row->members || (row->members[place] & 1);
            if (row->labels[place] < c->k && members)
                counts[tables[dx] * c->k + row->labels[place]]++;
        }
}

static void check_case(const Level *level, Random *random, Case c)
{
    checking("%s count_row: n %d, width %d, k %d, members %d, strangers %d, uniform %d",
             level->name, c.n, c.width, c.k, c.members, c.strangers, c.uniform);
    Row row = make_row(random, &c);
    size_t bytes = (size_t)(c.width * c.k) * sizeof(uint16_t);
    uint16_t *counts = fenced(bytes), *want = fenced(bytes);
    for (int i = 0; i < c.width * c.k; i++)
        counts[i] = want[i] = (uint16_t)random_below(random, 1000);
    int tables[MAX_WIDTH];
    for (int i = 0; i < c.width; i++)
        tables[i] = c.symmetric && i > c.width / 2 ? tables[c.width - 1 - i]
                                                   : (int)random_below(random, (uint32_t)c.width);
    level->kernels.count_row(row.labels, row.members, row.places, c.n, c.width, tables, c.k,
                             counts);
    count_plainly(&row, &c, tables, want);
    expect(memcmp(counts, want, bytes) == 0, "miscounts");
    expect(untouched(counts, bytes), "writes outside");
    release();
}

static void check_hashes(const Level *level, Random *random, int n)
{
    static const uint64_t ceilings[] = {0, UINT64_MAX, UINT64_MAX / 2, UINT64_MAX >> 6, 1};
    uint8_t *small = fenced((size_t)n), *want = fenced((size_t)n);
    int x = (int)random_below(random, 1 << 30), y = (int)random_below(random, 1 << 30);
    uint64_t ceiling = ceilings[random_below(random, 5)];
    checking("%s hash_row: n %d from (%d, %d), up to %llx", level->name, n, x, y,
             (unsigned long long)ceiling);
    level->kernels.hash_row(x, y, n, ceiling, small);
    cofi_hash_row_c(x, y, n, ceiling, want);
    expect(memcmp(small, want, (size_t)n) == 0, "is not what C gives");
    expect(untouched(small, (size_t)n), "writes outside");
    release();
}

void check_count(const Level *level)
{
    static const int ks[] = {1, 2, 15, 16, 17, 31, 32, 33, 161, 256},
                     widths[] = {1, 3, 15, 16, 17, 31, 255};
    Random random = {3};
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++)
        for (size_t j = 0; j < sizeof widths / sizeof widths[0]; j++)
            for (int kind = 0; kind < 4; kind++) {
                int n = 30 + (int)random_below(&random, 300);
                Case c = {n, widths[j], ks[i], kind % 2 == 1, kind / 2 == 1, false, n % 2 == 1};
                check_case(level, &random, c);
            }
    for (int n = 40; n <= 140; n += 4) {
        check_case(level, &random, (Case){n, 15, 256, false, false, false, true});
        check_case(level, &random, (Case){n, 15, 256, false, false, false, false});
    }
    for (int n = 0; n <= 70; n++) {
        check_case(level, &random, (Case){n, 15, 32, false, true, false, false});
        check_hashes(level, &random, n);
        check_hashes(level, &random, 20 * n);
    }
    /* About as much as 16 bits can count, and more places than that. */
    for (int n = 64450; n < 64500; n += 7)
        check_case(level, &random, (Case){n, 1, 32, false, false, true, false});
    check_case(level, &random, (Case){200000, 1, 32, false, false, false, false});
}
