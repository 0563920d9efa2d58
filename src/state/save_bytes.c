/* SPDX-License-Identifier: MIT */
/* save: sections with bytes of the program's own, and what the header of any section says. */
#include "save_private.h"

hm_status hm_save_bytes(const char *name, uint32_t version, const void *bytes, size_t size,
                        hm_sink sink)
{
    HM_CONTRACT(bytes != NULL || size == 0, "hm_save_bytes: bytes is NULL");
    const hm_save_desc desc = {.name = name, .version = version};
    hm_save_section section = {.kind = HM_SAVE_BYTES, .item_size = 1};
    hm_save_out out;
    hm_status status = hm_save_describe(&section, &desc, "");
    if (status == HM_OK && size > UINT32_MAX)
        status = hm_fail(HM_ERROR_FULL, "'%.40s': %zu bytes exceed 32 bits", section.name, size);
    if (status != HM_OK)
        return hm_fail_in("save_bytes", section.name, status);
    section.count = (uint32_t)size;
    section.payload_size = size;
    hm_save_begin(&out, &section, sink);
    hm_save_write(&out, bytes, size);
    return hm_fail_in("save_bytes", section.name, hm_save_end(&out));
}

hm_status hm_load_bytes(const char *name, uint32_t *version, void *bytes, size_t *size,
                        hm_source source)
{
    HM_CONTRACT(size != NULL, "hm_load_bytes: size is NULL");
    HM_CONTRACT(bytes != NULL || *size == 0, "hm_load_bytes: bytes is NULL");
    const hm_save_desc desc = {.name = name};
    hm_save_in in;
    size_t room = *size;
    hm_status status = hm_load_find(&in, HM_SAVE_BYTES, &desc, "", source);
    if (status == HM_OK && (in.section.item_size != 1 || in.section.encoded_size != 1 ||
                            in.section.count != in.section.payload_size))
        status = hm_load_disagree(&in);
    if (status == HM_OK && in.section.count > room) {
        *size = in.section.count;
        status = hm_load_fail(&in, HM_ERROR_FULL, 0, "its %" HM_U32 " bytes do not fit in %zu",
                              in.section.count, room);
    }
    if (status == HM_OK) {
        (void)hm_load_read(&in, bytes, in.section.count);
        status = hm_load_end(&in);
    }
    if (status != HM_OK) {
        if (room != 0)
            memset(bytes, 0, room);
        return hm_fail_in("load_bytes", name != NULL ? name : "", status);
    }
    *size = in.section.count;
    if (version != NULL)
        *version = in.section.version;
    return HM_OK;
}

hm_status hm_section_read(hm_section *section, hm_source source)
{
    HM_CONTRACT(section != NULL, "hm_section_read: section is NULL");
    HM_CONTRACT(source.read != NULL, "hm_section_read: source.read is NULL");
    hm_save_in in;
    memset(section, 0, sizeof *section);
    hm_status status = hm_load_begin(&in, "section", "", source);
    if (status != HM_OK)
        return hm_fail_in("section_read", "", status);
    const hm_save_section *head = &in.section;
    uint64_t blocks = (head->payload_size + HM_SAVE_BLOCK - 1) / HM_SAVE_BLOCK;
    memcpy(section->name, in.name, sizeof in.name);
    memcpy(section->layout, in.layout, sizeof in.layout);
    section->kind = hm_save_kind_name(head->kind);
    section->has_changes = head->kind > HM_SAVE_CHANGES;
    section->type_id = head->type_id;
    section->version = head->version;
    section->count = head->count;
    section->size = in.payload - in.start + head->payload_size + 8 * blocks;
    section->position = section->from = head->position;
    if (section->has_changes)
        hm_delta_way(head, &section->from, &section->position);
    return HM_OK;
}
