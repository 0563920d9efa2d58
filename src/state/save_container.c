/* SPDX-License-Identifier: MIT */
/* save: what the saves and loads of all containers have in common, but for those of worlds. */
#include "state_private.h"

hm_status hm_save_container(const hm_saved_kind *kind, const void *container,
                            const hm_save_desc *desc, hm_sink sink)
{
    hm_save_section section = {.kind = kind->number};
    hm_save_out out;
    if (hm_known_memory(kind->known, container) == NULL)
        return hm_fail_uninitialised(kind->known->what);
    kind->describe(container, &section);
    if (section.item_size == 0) /* A table's row may have 4 GiB and more. */
        return hm_fail(HM_ERROR_INVALID, "'%.40s': a row has more than %" HM_U32 " bytes",
                       hm_state_name(kind->known, container), UINT32_MAX);
    hm_status status = hm_save_describe(&section, desc, hm_state_name(kind->known, container));
    if (status == HM_OK && desc != NULL)
        status = hm_save_describe_position(&section, desc->position);
    if (status != HM_OK)
        return status;
    section.payload_size = kind->measure(&section);
    hm_save_begin(&out, &section, sink);
    kind->write(&out, container, desc);
    return hm_save_end(&out);
}

static hm_status container_load(hm_load *load, hm_source source)
{
    const hm_saved_kind *kind = load->kind;
    hm_save_in *in = &load->in;
    const char *name = hm_state_name(kind->known, load->container);
    /* What the container itself would say, before the header says it. */
    in->section = (hm_save_section){.kind = kind->number};
    kind->describe(load->container, &in->section);
    uint32_t type_id = in->section.type_id, item_size = in->section.item_size;
    hm_status status = hm_load_find(in, kind->number, load->desc, name, source);
    if (status == HM_OK)
        status = hm_load_check(in, load->desc, type_id, item_size);
    if (status == HM_OK && load->ids.ids != NULL)
        status = hm_load_check_ids(in, load->ids.ids, load->desc);
    if (status == HM_OK)
        status = kind->check(load);
    if (status == HM_OK)
        status = kind->read(load);
    return status == HM_OK ? hm_load_end(in) : status;
}

hm_status hm_load_container(const hm_saved_kind *kind, void *container, const hm_save_desc *desc,
                            hm_source source)
{
    hm_load load;
    hm_id_table *ids = NULL;
    hm_status status = hm_state_admit(kind->known, container);
    if (kind->move != NULL)
        ids = (hm_id_table *)(void *)((char *)container + kind->ids);
    if (status == HM_OK && ids != NULL)
        status =
            hm_load_check_unused(ids, kind->known->what, hm_state_name(kind->known, container));
    load.kind = kind;
    load.container = container;
    load.desc = desc;
    load.ids = (hm_load_ids){.ids = ids, .owner = container, .move = kind->move};
    load.made = load.opened = 0;
    if (status == HM_OK && kind->begin != NULL)
        status = kind->begin(&load);
    if (status != HM_OK)
        return status;
    hm_guard_enter(hm_state_guard(kind->known, container));
    status = kind->finish(&load, container_load(&load, source));
    if (ids != NULL)
        hm_load_end_ids(&load.ids, &load.in, status);
    status = kind->leave(container, status);
    hm_load_position(desc != NULL ? desc->position : NULL, &load.in.section, status);
    return status;
}
