/* SPDX-License-Identifier: BSD-2-Clause */
/* Which reader takes which format: the table in formats.def. */
#ifndef COF_FORMATS_H
#define COF_FORMATS_H

#include <stdbool.h>

/* libvips reads up to 4 bands as what they are; more are often measurements. */
#define MAX_IMAGE_BANDS 4

typedef enum FormatReader {
    FORMAT_VIPS,
    FORMAT_BYTES,
    FORMAT_GDAL,
    FORMAT_NAMED,
    FORMAT_NEVER,
    FORMAT_VIDEO,
    FORMAT_ASKED,
    FORMAT_WRITTEN,
    FORMAT_COMMON
} FormatReader;

typedef struct Format {
    const char *name; /* FORMAT_ASKED: the word of --allow-reader */
    FormatReader reader;
    const char *readers;  /* loaders, drivers or demuxers */
    const char *suffixes; /* separated by blanks; "": none */
    bool is_streamed;     /* decoded line by line or tile by tile */
    bool is_saved;        /* libvips writes it */
} Format;

/* Blocks all else in libvips. `allowed` is the word of --allow-reader, or NULL. To be called once,
 * by the main thread, before the others. */
void formats_init(const char *allowed);

/* The words of --allow-reader; ends with NULL. */
extern const char *const allow_reader_words[];

/* The format of a file that libvips reads, and its operation; NULL: libvips does not read it. */
const Format *format_of_file(const char *path, const char **operation);

/* The format that another reader would take, by the first bytes of the file; NULL: unknown. */
const Format *format_elsewhere(const char *path);

/* The formats of videos, as ffmpeg's option -format_whitelist takes them. Playlists, lists of files
 * and device files are not among them, because they make ffmpeg open other files. */
const char *video_formats(void);

/* Whether a path has one of the suffixes of a format that libvips reads and that is not a
 * document. */
bool format_is_image_name(const char *path);

/* The class of libvips that writes the format that a suffix selects, and whose file may have
 * options in brackets; NULL: none. For standard output, `name` is a suffix. */
const char *format_saver(const char *name);

/* The format that GDAL writes with a driver of this name, or with the suffix of a path, or both; a
 * NULL is any. Its name is that of the driver in GDAL's spelling. NULL: none. */
const Format *written_format(const char *name, const char *path);

/* Whether the suffix of a path is common for rasters that GDAL reads. Some of these suffixes have
 * other meanings, too. */
bool raster_format_is_read(const char *path);

/* Prints the table to standard output. */
void formats_print(void);

#endif
