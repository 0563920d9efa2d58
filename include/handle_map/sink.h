/* SPDX-License-Identifier: MIT */
/* sink: where bytes go to and come from: two functions that the program gives, or those that are
 * ready here, for memory, for a checksum and for a FILE. Owns nothing. */
#ifndef HANDLE_MAP_SINK_H
#define HANDLE_MAP_SINK_H

#include <handle_map/hash.h>

#include <stdbool.h>
#include <stddef.h>

HM_BEGIN_C

/* Where bytes go: takes all of them, or returns false. A call is for 1 byte to 64 KiB. */
typedef struct hm_sink {
    bool (*write)(void *context, const void *bytes, size_t size);
    void *context;
} hm_sink;

/* Where bytes come from: fills in all of them, or returns false, also if there are fewer. A call is
 * for 1 byte to 64 KiB. */
typedef struct hm_source {
    bool (*read)(void *context, void *bytes, size_t size);
    void *context;
} hm_source;

/* Memory to write to or to read from, in the program's hands. */
typedef struct hm_memory_stream {
    unsigned char *bytes; /* NULL: the sink only counts, to find out how large a file will be */
    size_t size;          /* bytes; the sink refuses what does not fit, unless it only counts */
    size_t position;      /* where the next byte goes to, or comes from */
} hm_memory_stream;

/* Never fail. The stream must outlive the sink or source. Example:
 *
 *     hm_memory_stream stream = {0};
 *     hm_map_save(&map, NULL, hm_sink_memory(&stream)); // counts
 *     stream = (hm_memory_stream){malloc(stream.position), stream.position, 0};
 *     hm_map_save(&map, NULL, hm_sink_memory(&stream));
 *     stream.position = 0;
 *     hm_map_load(&other_map, NULL, hm_source_memory(&stream));
 */
HM_API hm_sink hm_sink_memory(hm_memory_stream *stream);
HM_API hm_source hm_source_memory(hm_memory_stream *stream);

/* Adds all to a checksum. Never fails; the hash must outlive the sink. A save writes no pointers,
 * and the same bytes on every machine: so equal operations give equal hashes, which tell programs
 * that should agree, on one machine or on many, whether they do. Example:
 *
 *     hm_hash hash = {0};
 *     hm_map_save(&map, NULL, hm_sink_hash(&hash)); // and other containers
 *     printf("%llx\n", (unsigned long long)hm_hash_end(&hash));
 */
HM_API hm_sink hm_sink_hash(hm_hash *hash);

HM_END_C

#ifndef HM_FREESTANDING

#include <stdio.h>

HM_BEGIN_C

/* Write to and read from where the file is; open it in binary mode. The program closes it, and
 * asks fclose or fflush whether all has been written. */
HM_API hm_sink hm_sink_file(FILE *file);
HM_API hm_source hm_source_file(FILE *file);

HM_END_C

#endif

#endif
