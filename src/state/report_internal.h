/* SPDX-License-Identifier: MIT */
/* report: what its sources share.
 *
 *     report.c   the list of entries, what is asked of a kind of container, the text
 *     json.c     what a container tells as JSON
 */
#ifndef HANDLE_MAP_REPORT_INTERNAL_H
#define HANDLE_MAP_REPORT_INTERNAL_H

#include "../memory/poison_private.h"

#include <handle_map/report.h>

#include "../base/sink_private.h"

/* What the report asks of a container. */
typedef struct hm_report_kind {
    const char *word;
    hm_stats (*get_stats)(const void *container);
    const char *(*get_name)(const void *container);
    uint32_t (*get_type_id)(const void *container); /* of the handles that it is asked about */
    size_t (*describe)(const void *container, hm_handle handle, char *buffer, size_t size);
    hm_status (*dump)(const void *container, const hm_dump_desc *desc, hm_sink sink);
    void (*put_more)(hm_text *json, const void *container); /* fields of its own; or NULL */
} hm_report_kind;

/* NULL becomes null. */
void hm_report_put_string(hm_text *json, const char *string);

void hm_report_put_sizes(hm_text *json, size_t committed, size_t reserved);

/* All fields but those of its own. */
void hm_report_put_container(hm_text *json, const hm_report_entry *entry, const hm_stats *stats);

/* The fields of its own. */
void hm_report_put_map(hm_text *json, const void *container);
void hm_report_put_pool(hm_text *json, const void *container);
void hm_report_put_table(hm_text *json, const void *container);
void hm_report_put_secondary(hm_text *json, const void *container);
void hm_report_put_lists(hm_text *json, const void *container);
void hm_report_put_world(hm_text *json, const void *container);

#endif
