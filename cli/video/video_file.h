/* SPDX-License-Identifier: BSD-2-Clause */
/* Films, through the program ffmpeg: what they are, frames in, frames out. */
#ifndef COF_VIDEO_FILE_H
#define COF_VIDEO_FILE_H

#include <stdint.h>

#include "cof/cof.h"
#include "video/subprocess.h"

typedef struct Film {
    const char *name;
    char file[4096 + 8];    /* the same, as ffmpeg takes it for a file whatever it is called */
    int width, height;      /* upright */
    char rate[32];          /* frames per second, as a fraction */
    double seconds_a_frame; /* the same */
    bool regular;           /* frames come so, and none is missing */
    int64_t frames;         /* about; 0: not known */
    double start;           /* of the pictures, after that of the file, in seconds */
    char pixels[32];        /* the format that ffmpeg has for its pictures */
    char aspect[32];        /* of a pixel, as a fraction; empty: square */
    char matrix[32], primaries[32], transfer[32], range[32]; /* tags; empty: none */
    const char *raw;                                         /* what frames in pipes are */
    CofKind kind;
    CofSample sample;
    int channels;
    size_t bytes; /* of a frame */
} Film;

/* Each complains, and returns false, if it fails. */

bool film_probe(Film *film, const char *name);

/* Frame n, from 1 on, into memory of `bytes`. */
bool film_grab(const Film *film, int64_t n, void *frame);

/* All frames, one after the other. */
bool film_decode(const Film *film, Child *child);

/* Takes frames, and adds to them what else is in the film: sound, subtitles, metadata. `options`
 * of ffmpeg (NULL: none) choose the codec. */
bool film_encode(const Film *film, const char *path, const char *options, Child *child);

/* A view of a frame. */
CofImage film_view(const Film *film, void *frame);

#endif
