/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the public API, each called with what a scene has. */
#ifndef COF_FUZZ_API_CALLS_H
#define COF_FUZZ_API_CALLS_H

#include "api_scene.h"

enum { NEEDS_MODEL = 1, NEEDS_PAIR = 2, TILES = 4, IN_PLACE = 8, SEVERAL_CALLS = 16 };

typedef enum OutKind { OUT_NONE, OUT_IMAGE, OUT_BYTES, OUT_FLOAT, OUT_GREY } OutKind;

/* What a call produced: pixels, a number, or an object as bytes. */
typedef struct Outcome {
    CofStatus status;
    GuardedImage out;
    double number;
    void *bytes, *more_bytes;
    size_t size, more_size;
} Outcome;

/* The arguments of a call. */
typedef struct Request {
    const Scene *scene;
    SceneViews views;
    CofImage out;
    const CofOptions *options;
} Request;

typedef CofStatus Call(const Request *r, Outcome *o);

typedef struct Function {
    Call *call;
    OutKind out;
    unsigned flags;
} Function;

/* The function of an index, 0 to api_function_count() - 1. */
const Function *api_function(int index);
int api_function_count(void);

#endif
