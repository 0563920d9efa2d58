/* SPDX-License-Identifier: MIT */
/* save: the headers of sections.
 *
 *      0  8  magic                      28  4  version of the layout
 *      8  2  version of the format      32  4  items
 *     10  2  kind                       36  1  bytes of the name
 *     12  4  flags                      37  1  bytes of the layout's name
 *     16  4  type id                    38  2  numbers of the container's own
 *     20  4  bytes of an item           40  8  bytes of the payload
 *     24  4  bytes of it in the file    48     these numbers, 4 bytes each, and the position;
 *                                              name; layout's name; 8 bytes: XXH64 of all before */
#include "state_private.h"

enum {
    SECTION_MAGIC = 8,
    SECTION_FORMAT = 2, /* Those before are read too. */
    SECTION_HEAD = 48,  /* bytes that every header has */
    SECTION_SUM = 8,
    SECTION_POSITION = 4, /* numbers */
    SECTION_MOST = SECTION_HEAD + 4 * HM_SAVE_DETAILS + 2 * HM_SAVE_TEXT + SECTION_SUM
};

/* "\x89HMS\r\n\x1A\n". As in PNG's, the first byte, the two line ends and the end-of-file character
 * of DOS show whether the file went through a program that takes it for text. */
#define SECTION_MAGIC_NUMBER UINT64_C(0x0A1A0A0D534D4889)

static const char *const section_kinds[] = {"",      "map",   "pool",  "table", "secondary",
                                            "lists", "index", "world", "bytes"};

const char *hm_save_kind_name(uint32_t kind)
{
    kind %= HM_SAVE_CHANGES;
    bool is_known = kind != 0 && kind < sizeof section_kinds / sizeof *section_kinds;
    return is_known ? section_kinds[kind] : "section";
}

size_t hm_save_length(const char *text)
{
    size_t length = 0;
    while (length <= HM_SAVE_TEXT && text[length] != '\0')
        length++;
    return length;
}

hm_status hm_save_check_names(const hm_save_desc *desc, const char *name)
{
    if (desc != NULL && desc->name != NULL)
        name = desc->name;
    if (hm_save_length(name) <= HM_SAVE_TEXT &&
        (desc == NULL || desc->layout == NULL || hm_save_length(desc->layout) <= HM_SAVE_TEXT))
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID,
                   "the name of '%.40s' or its layout has more than %u bytes: give a shorter one "
                   "in hm_save_desc",
                   name, (unsigned)HM_SAVE_TEXT);
}

hm_status hm_save_check_codec(const hm_save_desc *desc, const char *name)
{
    if ((desc->encode != NULL) == (desc->encoded_size != 0) &&
        desc->encoded_size <= HM_SAVE_MAX_ENCODED)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID,
                   "'%.40s': encode needs an encoded_size from 1 to %u, which is %zu", name,
                   (unsigned)HM_SAVE_MAX_ENCODED, desc->encoded_size);
}

hm_status hm_save_describe(hm_save_section *section, const hm_save_desc *desc, const char *name)
{
    static const hm_save_desc none = {0};
    if (desc == NULL)
        desc = &none;
    section->name = desc->name != NULL ? desc->name : name;
    section->layout = desc->layout != NULL ? desc->layout : "";
    section->version = desc->version;
    section->encoded_size = section->item_size;
    hm_status status = hm_save_check_names(desc, name);
    if (status == HM_OK)
        status = hm_save_check_codec(desc, section->name);
    if (status != HM_OK)
        return status;
    if (desc->encode != NULL) {
        section->encoded_size = (uint32_t)desc->encoded_size;
        section->flags |= HM_SAVE_ENCODED;
    }
    return HM_OK;
}

hm_status hm_save_describe_position(hm_save_section *section, const hm_position *position)
{
    if (position == NULL)
        return HM_OK;
    if (position->next != 0)
        return hm_fail(HM_ERROR_INVALID,
                       "'%.40s' has had a part of the changes from mark %" HM_U64 " to %" HM_U64
                       ": give it the rest first",
                       section->name, position->mark, position->next);
    section->flags |= HM_SAVE_POSITION;
    section->position = *position;
    return HM_OK;
}

void hm_load_position(hm_position *position, const hm_save_section *section, hm_status status)
{
    if (position != NULL)
        *position = status == HM_OK ? section->position : (hm_position){0};
}

/* Writes the numbers of the container, and those of the position. Returns where they end. */
static size_t section_write_numbers(const hm_save_section *section, unsigned char *bytes)
{
    size_t end = SECTION_HEAD;
    for (uint32_t i = 0; i < section->detail_count; i++, end += 4)
        hm_save_put_32(bytes + end, section->details[i]);
    if ((section->flags & HM_SAVE_POSITION) != 0) {
        hm_save_put_64(bytes + end, section->position.epoch);
        hm_save_put_64(bytes + end + 8, section->position.mark);
        end += (size_t)4 * SECTION_POSITION;
    }
    hm_save_put_16(bytes + 38, (uint32_t)(end - SECTION_HEAD) / 4);
    return end;
}

/* Writes a header to memory and returns its size. */
static size_t section_write(const hm_save_section *section, unsigned char *bytes)
{
    const uint32_t numbers[] = {section->flags,        section->type_id, section->item_size,
                                section->encoded_size, section->version, section->count};
    size_t name = hm_save_length(section->name), layout = hm_save_length(section->layout);
    hm_save_put_64(bytes, SECTION_MAGIC_NUMBER);
    hm_save_put_32(bytes + 8, SECTION_FORMAT | section->kind << 16);
    for (size_t i = 0; i < 6; i++)
        hm_save_put_32(bytes + 12 + 4 * i, numbers[i]);
    hm_save_put_16(bytes + 36, (uint32_t)(name | layout << 8));
    hm_save_put_64(bytes + 40, section->payload_size);
    size_t end = section_write_numbers(section, bytes);
    memcpy(bytes + end, section->name, name);
    memcpy(bytes + end + name, section->layout, layout);
    end += name + layout;
    hm_save_put_64(bytes + end, hm_hash_of(bytes, end));
    return end + SECTION_SUM;
}

void hm_save_begin(hm_save_out *out, const hm_save_section *section, hm_sink sink)
{
    HM_CONTRACT(sink.write != NULL, "hm_save: sink.write is NULL");
    out->sink = sink;
    out->status = HM_OK;
    out->section = section;
    out->left = section->payload_size;
    out->block = HM_SAVE_BLOCK;
    hm_hash_begin(&out->hash, 0);
    size_t size = section_write(section, out->buffer);
    if (!sink.write(sink.context, out->buffer, size))
        out->status =
            hm_fail(HM_ERROR_IO, "the sink refused the header of section '%.40s'", section->name);
}

/* Reads a part of a header; false: the source has ended. */
static bool section_read(hm_save_in *in, size_t offset, size_t size)
{
    if (in->source.read(in->source.context, in->buffer + offset, size))
        return true;
    if (offset == 0 && in->start > 0) {
        in->status = hm_fail(HM_ERROR_CORRUPT, "the source has no %s '%.40s', but%s", in->kind,
                             in->section.name, in->others);
        return false;
    }
    in->status =
        hm_fail(HM_ERROR_CORRUPT,
                "the source ends in the %zu bytes from byte %" HM_U64 " on, before the %s '%.40s'",
                size, in->start + offset, in->kind, in->section.name);
    return false;
}

static bool section_refuse(hm_save_in *in, const char *why)
{
    in->status =
        hm_fail(HM_ERROR_CORRUPT, "the header at byte %" HM_U64 ", before the %s '%.40s', %s",
                in->start, in->kind, in->section.name, why);
    return false;
}

/* Takes the numbers of a header from the buffer. */
static void section_take(hm_save_in *in, size_t name_size, size_t layout_size)
{
    const unsigned char *bytes = in->buffer;
    hm_save_section *section = &in->section;
    section->format = hm_load_16(bytes + 8);
    section->kind = hm_load_16(bytes + 10);
    section->flags = hm_load_32(bytes + 12);
    section->type_id = hm_load_32(bytes + 16);
    section->item_size = hm_load_32(bytes + 20);
    section->encoded_size = hm_load_32(bytes + 24);
    section->version = hm_load_32(bytes + 28);
    section->count = hm_load_32(bytes + 32);
    section->payload_size = hm_load_64(bytes + 40);
    bytes += SECTION_HEAD;
    for (uint32_t i = 0; i < section->detail_count; i++, bytes += 4)
        section->details[i] = hm_load_32(bytes);
    section->position = (hm_position){0};
    if ((section->flags & HM_SAVE_POSITION) != 0) {
        section->position.epoch = hm_load_64(bytes - (size_t)4 * SECTION_POSITION);
        section->position.mark = hm_load_64(bytes - (size_t)2 * SECTION_POSITION);
        section->detail_count -= SECTION_POSITION;
    }
    memcpy(in->name, bytes, name_size);
    in->name[name_size] = '\0';
    memcpy(in->layout, bytes + name_size, layout_size);
    in->layout[layout_size] = '\0';
}

/* Reads the header at in->start. */
static bool section_read_header(hm_save_in *in)
{
    const unsigned char *bytes = in->buffer;
    if (!section_read(in, 0, SECTION_MAGIC))
        return false;
    if (hm_load_64(bytes) != SECTION_MAGIC_NUMBER)
        return section_refuse(in, "is none");
    if (!section_read(in, SECTION_MAGIC, SECTION_HEAD - SECTION_MAGIC))
        return false;
    size_t name_size = bytes[36], layout_size = bytes[37];
    in->section.detail_count = hm_load_16(bytes + 38);
    in->section.payload_size = hm_load_64(bytes + 40);
    if (in->section.detail_count > HM_SAVE_DETAILS || in->section.payload_size > UINT64_MAX / 4)
        return section_refuse(in, "claims too much");
    size_t end = SECTION_HEAD + 4 * in->section.detail_count + name_size + layout_size;
    if (!section_read(in, SECTION_HEAD, end + SECTION_SUM - SECTION_HEAD))
        return false;
    if (hm_load_64(bytes + end) != hm_hash_of(bytes, end))
        return section_refuse(in, "has a wrong checksum");
    if (hm_load_16(bytes + 8) == 0 || hm_load_16(bytes + 8) > SECTION_FORMAT)
        return section_refuse(in, "has a version of the format that is not known here");
    if ((hm_load_32(bytes + 12) & HM_SAVE_POSITION) != 0 &&
        in->section.detail_count < SECTION_POSITION)
        return section_refuse(in, "lacks a position");
    section_take(in, name_size, layout_size);
    in->payload = in->start + end + SECTION_SUM;
    in->left = in->section.payload_size;
    in->block = HM_SAVE_BLOCK;
    hm_hash_begin(&in->hash, 0);
    return true;
}

/* Notes a section that is not the one, for messages. */
static void section_pass(hm_save_in *in)
{
    size_t length = hm_save_length(in->others);
    (void)hm_format(in->others + length, sizeof in->others - length, "%s %s '%.20s'",
                    length != 0 ? "," : "", hm_save_kind_name(in->section.kind), in->name);
}

hm_status hm_load_begin(hm_save_in *in, const char *kind, const char *name, hm_source source)
{
    in->source = source;
    in->status = HM_OK;
    in->start = 0;
    in->others[0] = '\0';
    in->kind = kind;
    in->section.name = name;
    return section_read_header(in) ? HM_OK : in->status;
}

hm_status hm_load_find(hm_save_in *in, uint32_t kind, const hm_save_desc *desc, const char *name,
                       hm_source source)
{
    HM_CONTRACT(source.read != NULL, "hm_load: source.read is NULL");
    hm_status status = hm_save_check_names(desc, name);
    if (status != HM_OK)
        return status;
    if (desc != NULL && desc->name != NULL)
        name = desc->name;
    status = hm_load_begin(in, hm_save_kind_name(kind), name, source);
    for (;; status = section_read_header(in) ? HM_OK : in->status) {
        if (status != HM_OK)
            return status;
        if (in->section.kind == kind && hm_is_same_text(in->name, name))
            break;
        section_pass(in);
        if (!hm_load_skip(in))
            return in->status;
    }
    in->section.name = in->name;
    in->section.layout = in->layout;
    return HM_OK;
}

hm_status hm_load_check(hm_save_in *in, const hm_save_desc *desc, uint32_t type_id,
                        size_t item_size)
{
    const hm_save_section *section = &in->section;
    const char *layout = desc != NULL && desc->layout != NULL ? desc->layout : "";
    if (section->encoded_size == 0)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its items have 0 bytes");
    if (section->type_id != type_id)
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "its type id is %" HM_U32 ", not %" HM_U32,
                            section->type_id, type_id);
    if (!hm_is_same_text(section->layout, layout))
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "its layout is '%.20s', not '%.20s'",
                            section->layout, layout);
    if (hm_load_decodes(desc)) {
        if (section->encoded_size > HM_SAVE_MAX_ENCODED)
            return hm_load_fail(in, HM_ERROR_INVALID, 0,
                                "its items have %" HM_U32 " bytes, too many for decode",
                                section->encoded_size);
        return HM_OK;
    }
    if ((section->flags & HM_SAVE_ENCODED) != 0)
        return hm_load_fail(in, HM_ERROR_INVALID, 0, "its items went through encode: no decode");
    if (section->item_size != item_size || section->encoded_size != item_size)
        return hm_load_fail(in, HM_ERROR_INVALID, 0,
                            "its items have %" HM_U32 " bytes, not %zu, and there is no decode",
                            section->item_size, item_size);
    if (section->version != (desc != NULL ? desc->version : 0))
        return hm_load_fail(in, HM_ERROR_INVALID, 0,
                            "its layout has version %" HM_U32 ", and there is no decode",
                            section->version);
    return HM_OK;
}

hm_status hm_load_check_limit(hm_save_in *in, const char *what, uint64_t number, uint32_t most,
                              uint32_t limit)
{
    if (most != 0 && number > most)
        return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "%" HM_U64 " %s are above the limit %" HM_U32,
                            number, what, most);
    if (number > limit)
        return hm_load_fail(in, HM_ERROR_FULL, 0,
                            "%" HM_U64 " %s do not fit: there may be %" HM_U32, number, what,
                            limit);
    return HM_OK;
}

hm_status hm_load_fail_used(const char *what, const char *name)
{
    return hm_fail(HM_ERROR_INVALID,
                   "hm_%s_load: '%.40s' has issued handles since its init: load into a new %s",
                   what, name, what);
}

hm_status hm_load_check_empty(const char *what, const char *name, const char *items, uint32_t count)
{
    if (count == 0)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID, "hm_%s_load: '%.40s' has %" HM_U32 " %s: load into a new %s",
                   what, name, count, items, what);
}

hm_status hm_load_disagree(hm_save_in *in)
{
    return hm_load_fail(in, HM_ERROR_CORRUPT, 0, "its size and its counts disagree");
}

hm_status hm_load_fail_generation(hm_save_in *in, size_t behind, uint32_t generation, uint32_t last)
{
    return hm_load_fail(in, HM_ERROR_FULL, behind,
                        "generation %" HM_U32
                        " does not fit into generation_bits: the last is %" HM_U32,
                        generation, last);
}

hm_status hm_load_check_retired(hm_save_in *in, uint32_t found, uint32_t retired)
{
    if (found == retired)
        return HM_OK;
    return hm_load_fail(in, HM_ERROR_CORRUPT, 0,
                        "%" HM_U32 " slots have generation 0, but that many are not retired",
                        found);
}
