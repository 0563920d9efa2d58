#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the containers that a program has saved to a file, and checks it, without the program: all
checksums, and that the parts of each container fit together. docs/format.md has the format. Prints
the first damage of a file, with its byte, and ends with 1 if there is any.

A script can import this file. Nothing is printed then, and what is wrong with the bytes is raised
as hm_file.Damage:

    import hm_file
    with open("saved.hm", "rb") as file:
        data = file.read()
    for section in hm_file.sections(data, offset=0):
        print(section.kind, section.name, section.count)
        for item in section.items():
            print(item.handle, item.value)

A section is checked before the loop gets it. Section and its items() say what is in one."""
import argparse
import collections
import itertools
import operator
import signal
import struct
import sys

MAGIC = bytes.fromhex("89484D530D0A1A0A")
BLOCK = 65536
KINDS = dict(enumerate(("map", "pool", "table", "secondary", "lists", "index", "world", "bytes"),
                       1))
CHANGES = 16  # added to the kind of a container: what changed in it
# How many numbers of its own a kind has, in version 1 of the format and in version 2.
NUMBERS = {"map": (4, 4), "pool": (3, 3), "secondary": (1, 1), "lists": (6, 13), "index": (2, 9),
           "world": (5, 9), "bytes": (0, 0)}
MOST_COLUMNS, MOST_COMPONENTS = 256, 1024
ENCODED, ASCENDING, POSITION = 1, 2, 8  # flags of a section
SPARSE = 2  # beside ENCODED, a flag of a component
SHOWN_BYTES, SHOWN_ITEMS = 32, 32  # of a value, and of a list; more are cut
ENTITY = 0xFFFFFFFF  # the part of a change of an entity itself
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
          0x27D4EB2F165667C5)
MASK = (1 << 64) - 1


class Damage(Exception):
    """What is wrong with a file."""


Item = collections.namedtuple("Item", "handle value meta", defaults=[b""])
Change = collections.namedtuple("Change", "handle what part value")


def rotate(number, bits):
    return (number << bits | number >> (64 - bits)) & MASK


def round_of(sum_, lane):
    return rotate((sum_ + lane * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    """XXH64 of Yann Collet, with the seed 0."""
    at, size = 0, len(data)
    if size >= 32:
        sums = [(PRIMES[0] + PRIMES[1]) & MASK, PRIMES[1], 0, -PRIMES[0] & MASK]
        for lanes in struct.iter_unpack("<4Q", data[:size // 32 * 32]):
            sums = [round_of(sum_, lane) for sum_, lane in zip(sums, lanes)]
        at = size // 32 * 32
        result = sum(rotate(sum_, bits) for sum_, bits in zip(sums, (1, 7, 12, 18))) & MASK
        for sum_ in sums:
            result = ((result ^ round_of(0, sum_)) * PRIMES[0] + PRIMES[3]) & MASK
    else:
        result = PRIMES[4]
    result = (result + size) & MASK
    while at + 8 <= size:
        lane = struct.unpack_from("<Q", data, at)[0]
        result = (rotate(result ^ round_of(0, lane), 27) * PRIMES[0] + PRIMES[3]) & MASK
        at += 8
    if at + 4 <= size:
        lane = struct.unpack_from("<I", data, at)[0]
        result = (rotate(result ^ lane * PRIMES[0] & MASK, 23) * PRIMES[1] + PRIMES[2]) & MASK
        at += 4
    for byte in data[at:]:
        result = rotate(result ^ byte * PRIMES[4] & MASK, 11) * PRIMES[0] & MASK
    result = (result ^ result >> 33) * PRIMES[1] & MASK
    result = (result ^ result >> 29) * PRIMES[2] & MASK
    return result ^ result >> 32


class Reader:
    """Takes numbers and bytes from the front of some bytes."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, size):
        if size > len(self.data) - self.at:
            raise Damage(f"ends {size - len(self.data) + self.at} bytes too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def numbers(self, size, count):
        kinds = {2: "H", 4: "I", 8: "Q"}
        return struct.unpack(f"<{count}{kinds[size]}", self.take(size * count))

    def number(self, size):
        return self.numbers(size, 1)[0]


def require(truth, what):
    if not truth:
        raise Damage(what)


def split(data, size, count):
    """Yields values of equal size, which may be 0."""
    return (data[size * i:size * (i + 1)] for i in range(count))


def text_from(data):
    return data.decode("utf-8", "backslashreplace")


class Section:
    """A container in a file, or what changed in one.

    kind        "map", "pool", "table", "secondary", "lists", "index", "world" or "bytes"; "kind 9"
                and the like where it is not known here
    is_changes  whether the section has what changed in a container of this kind
    name, layout, version, type_id, count, item_size, encoded_size, flags, format, payload
                as docs/format.md says; the payload is without checksums
    details     the numbers of the kind's own
    epoch, mark what the container was at, or what the changes lead to; None: the file has none
    from_mark   the mark from which the changes lead; None: the file has none
    changes_before, has_more
                how many changes of the same way are in sections before, and whether more follow
    begin       the byte of the data where the section begins
    notes       lines about the parts"""

    def __init__(self, file):
        self.begin = file.at
        require(file.take(8) == MAGIC, "no section begins here")
        self.format, kind = file.numbers(2, 2)
        self.is_changes = kind != CHANGES + 8 and kind - CHANGES in KINDS
        self.kind = KINDS.get(kind - CHANGES if self.is_changes else kind, f"kind {kind}")
        (self.flags, self.type_id, self.item_size, self.encoded_size, self.version,
         self.count) = file.numbers(4, 6)
        name_size, layout_size = file.take(2)
        detail_count = file.number(2)
        size = file.number(8)
        self.details = file.numbers(4, detail_count)
        self.name = text_from(file.take(name_size))
        self.layout = text_from(file.take(layout_size))
        header = file.data[self.begin:file.at]
        require(file.number(8) == xxh64(header), "the checksum of the header is wrong")
        require(0 < self.format < 3,
                f"the format has version {self.format}, which is not known here")
        blocks = []
        while size > 0:
            blocks.append(file.take(min(size, BLOCK)))
            require(file.number(8) == xxh64(blocks[-1]), "the checksum of a block is wrong")
            size -= len(blocks[-1])
        self.payload = b"".join(blocks)
        self.take_marks()
        self.notes = []
        self.make_items = lambda: ()
        if self.is_changes or self.kind in KINDS.values():
            self.read()

    def take_marks(self):
        """Takes the numbers about marks from the details."""
        self.epoch = self.mark = self.from_mark = None
        self.changes_before, self.has_more = 0, False
        if self.flags & POSITION:
            require(len(self.details) >= 4, "its header is too short")
            epoch, epoch_high, mark, mark_high = self.details[-4:]
            self.epoch, self.mark = epoch | epoch_high << 32, mark | mark_high << 32
            self.details = self.details[:-4]
        if self.is_changes and self.details:
            require(self.format > 1 and len(self.details) == 4 and self.details[3] < 2,
                    "its header has other numbers than changes have")
            self.from_mark = self.details[0] | self.details[1] << 32
            self.changes_before, self.has_more = self.details[2], self.details[3] == 1

    def describe(self):
        """Returns a line about the container."""
        unit = f"items of {self.item_size} bytes"
        if self.is_changes or self.kind == "bytes":
            unit = "changes" if self.is_changes else "bytes"
        text = f"{self.kind} '{printable(self.name)}': {self.count} {unit}"
        if self.flags & ENCODED:
            text += f", encoded as {self.encoded_size}"
        if self.layout or self.version:
            text += f", layout '{printable(self.layout)}' version {self.version}"
        if self.kind != "bytes":
            text += f", type id {self.type_id}, {len(self.payload)} bytes"
        marks = self.describe_marks()
        return f"{text}, {marks}" if marks else text

    def describe_marks(self):
        words = []
        if self.from_mark is not None:
            words.append(f"from mark {self.from_mark}")
        if self.mark is not None:
            words.append(f"{'to' if self.is_changes else 'at'} mark {self.mark}")
            words.append(f"of epoch {self.epoch}")
        text = " ".join(words)
        if self.changes_before:
            text += f", {self.changes_before} changes are in sections before"
        return text + ", more follow" if self.has_more else text

    def items(self):
        """Yields what is in the section, in the order of its items: Item, with `handle`, a number,
        and `value`:

        map, pool, secondary  bytes; of a map also `meta`, the bytes of meta
        table                 a list of bytes: the cells; one if the row went through encode
        lists                 a list of bytes: the items
        index                 the key, a number
        world                 a dictionary of bytes by the names of components; of a tag b""
        bytes                 all of them, in a single item, whose handle is None

        Of changes: Change, with `handle`, `what`, which is "inserted", "erased" or "edited", `part`
        and `value`, bytes. Of a kind that is not known here: nothing."""
        return iter(self.make_items())

    def read(self):
        """Reads the parts of the payload, and notes how items are made of them."""
        payload = Reader(self.payload)
        require(self.type_id < 1 << 15, f"there is no type id {self.type_id}")
        require(self.encoded_size > 0, "its items have 0 bytes")
        if self.is_changes:
            self.read_changes(payload)
        else:
            if self.kind in NUMBERS:
                require(len(self.details) == NUMBERS[self.kind][self.format - 1],
                        f"its header has {len(self.details)} numbers")
            self.make_items = getattr(self, "read_" + self.kind)(payload)
        require(payload.at == len(payload.data), "is longer than its parts")

    def handle(self, slot, generation):
        return slot | generation << 32 | self.type_id << 48

    def changes(self, payload):
        for _ in range(self.count):
            handle, part, size, kind = payload.number(8), *payload.numbers(4, 2), payload.take(1)[0]
            require(kind < 3, f"has a change of part {part} of the kind {kind}")
            yield Change(handle, ("inserted", "erased", "edited")[kind], part, payload.take(size))

    def read_changes(self, payload):
        counts = collections.Counter(change.what for change in self.changes(payload))
        self.notes.append(
            ", ".join(f"{counts[what]} {what}" for what in ("inserted", "erased", "edited")))
        self.make_items = lambda: self.changes(Reader(self.payload))

    def ids(self, payload):
        """The part of an ID table. Returns the generation of each live slot, in the order of the
        items."""
        free, slots, dropped = self.details[:3]
        generations = payload.numbers(2, slots)
        named = payload.numbers(4, free)
        if self.flags & ASCENDING:
            holes = set(named)
            live = [slot for slot in range(slots) if generations[slot] and slot not in holes]
        else:
            live = payload.numbers(4, self.count)
        used = [*named, *live]
        require(len(set(used)) == len(used) == self.count + free, "a slot is named twice")
        require(all(slot < slots and generations[slot] for slot in used),
                "a slot is out of range or retired")
        require(generations.count(0) == slots - len(used), "slots are missing")
        require(all(floor < 65535 for floor in payload.numbers(2, -(-dropped // 512))),
                "a floor is the last generation")
        return {slot: generations[slot] for slot in live}

    def owners(self, payload, count):
        """Returns the generation of each owner's slot, in the order of the values."""
        found = [(payload.number(4), payload.number(2)) for _ in range(count)]
        require(len({slot for slot, _ in found}) == count, "two owners have one slot")
        require(all(generation for _, generation in found), "an owner has generation 0")
        return dict(found)

    def join(self, generations, values, *more):
        """Yields an item for each of some slots and of some values."""
        for (slot, generation), *parts in zip(generations.items(), values, *more):
            yield Item(self.handle(slot, generation), *parts)

    def read_map(self, payload):
        size, meta_size = self.encoded_size, self.details[3]
        values, meta = payload.take(size * self.count), payload.take(meta_size * self.count)
        ids = self.ids(payload)
        self.notes.append(f"{self.details[0]} free slots, {meta_size} bytes of meta")
        return lambda: self.join(ids, split(values, size, self.count),
                                 split(meta, meta_size, self.count))

    def read_pool(self, payload):
        holes, slots, recent = self.details[:3]
        generations = payload.numbers(2, slots)
        named = payload.numbers(4, recent)
        issued = {slot for slot in range(slots) if generations[slot]}
        require(issued.issuperset(named), "a hole is no slot")
        require(len(issued) == self.count + holes, "slots are missing")
        live = issued.difference(named)
        if recent != holes:
            words = payload.numbers(8, -(-slots // 64))
            found = {64 * w + i for w, word in enumerate(words) for i in range(64) if word >> i & 1}
            require(found <= live, "a live slot is a hole, or none")
            live = found
        require(len(live) == self.count, "as many slots are not live as there are items")
        values = payload.take(self.encoded_size * self.count)
        self.notes.append(f"{holes} holes")
        return lambda: self.join({slot: generations[slot] for slot in sorted(live)},
                                 split(values, self.encoded_size, self.count))

    def read_table(self, payload):
        sizes = self.details[3:]
        require(0 < len(sizes) <= MOST_COLUMNS, f"its header has {len(self.details)} numbers")
        self.notes.append(f"columns of {', '.join(map(str, sizes))} bytes")
        if self.flags & ENCODED:
            sizes = [self.encoded_size]
        require(sum(sizes) == self.encoded_size, "its cells are no row")
        rows = payload.take(self.encoded_size * self.count)
        ids = self.ids(payload)
        begins = [0, *itertools.accumulate(sizes)]
        return lambda: self.join(ids, ([row[a:b] for a, b in zip(begins, begins[1:])]
                                       for row in split(rows, self.encoded_size, self.count)))

    def read_secondary(self, payload):
        values = payload.take(self.encoded_size * self.count)
        owners = self.owners(payload, self.count)
        self.notes.append(f"owners in {self.details[0]} slots")
        return lambda: self.join(owners, split(values, self.encoded_size, self.count))

    def read_bytes(self, payload):
        require(self.item_size == self.encoded_size == 1 and self.type_id == 0,
                "bytes have the size 1 and no type id")
        payload.take(self.count)
        return lambda: (Item(None, self.payload),)

    def blocks(self, payload, width, owned, details):
        """Blocks of lists: yields the id and the count of each that is a list's, before its items.
        `width`: bytes of an id; `details`: the numbers about blocks, none in files of 0.3."""
        free, powers = details[5:7] if details else (0, 0)
        while owned + free:
            name, count = payload.number(width), payload.number(4)
            if count == 0:
                require(free and name, "a free block is too many, or has no unit")
                payload.number(4)
                free -= 1
                continue
            require(owned, "a block with items is too many")
            owned -= 1
            if count >> 31:
                powers -= 1
                require(0 < payload.take(1)[0] < 31, "a block has no such size")
            yield name, count & 0x7FFFFFFF
        require(powers == 0, "has another number of blocks with a power of two of units")

    def read_lists(self, payload):
        filled, items = self.details[3], self.details[4] | self.details[5] << 32
        ids = self.ids(payload)
        lists = {}
        for slot, count in self.blocks(payload, 4, filled, self.details[6:]):
            require(slot in ids and slot not in lists, "a list is none, or there twice")
            lists[slot] = payload.take(self.encoded_size * count)
        size = self.encoded_size
        require(sum(map(len, lists.values())) == size * items, "has another number of items")
        self.notes.append(f"{items} items, blocks of {filled} lists")
        return lambda: self.join(ids, (list(split(found, size, len(found) // size))
                                       for found in (lists.get(slot, b"") for slot in ids)))

    def read_index(self, payload):
        owners = self.owners(payload, self.count)
        keys, members, key_of = set(), [], {}
        for key, count in self.blocks(payload, 8, self.details[1], self.details[2:]):
            require(key not in keys, "a key is there twice")
            keys.add(key)
            positions = payload.numbers(4, count)
            members += positions
            key_of.update(dict.fromkeys(positions, key))
        require(sorted(members) == list(range(self.count)), "an owner has not one key")
        self.notes.append(f"{self.details[1]} keys")
        return lambda: self.join(owners, (key_of[i] for i in range(self.count)))

    def components(self, payload):
        """Returns the name, the encoded size and the flags of each component."""
        found, names = [], set()
        require(self.details[3] <= MOST_COMPONENTS, f"has {self.details[3]} components")
        for _ in range(self.details[3]):
            name_size, layout_size = payload.take(2)
            flags = payload.number(2)
            size, encoded, version = payload.numbers(4, 3)
            name = payload.take(name_size)
            require(name not in names, "two components have one name")
            names.add(name)
            payload.take(layout_size)
            found.append((text_from(name), encoded, flags))
            self.notes.append(
                f"component '{printable(text_from(name))}': {size} bytes"
                f"{', sparse' if flags & SPARSE else ''}"
                f"{f', encoded as {encoded}' if flags & ENCODED else ''}, version {version}")
        return found

    def rows(self, payload, components):
        """The archetypes. Returns the slots of all rows, and columns: each is the number of a
        component, the slots that have it, and their values."""
        slots, columns, numbers = [], [], []
        is_old = self.format == 1
        for _ in range(self.details[4]):
            count, set_count = payload.numbers(4, 2)
            if not is_old:
                numbers.append(payload.number(4))
                payload.take(9)
            parts = payload.numbers(2, set_count)
            require(all(part < len(components) and not components[part][2] & SPARSE
                        for part in parts), "a component is none, or sparse")
            require(all(a < b for a, b in zip(parts, parts[1:])), "components do not rise")
            if not is_old:
                payload.take(8 * sum(components[part][1] != 0 for part in parts))
            while count > 0:
                group = payload.numbers(4, min(count, 64))
                slots += group
                columns += ((part, group, payload.take(len(group) * components[part][1]))
                            for part in parts)
                count -= len(group)
        if not is_old:
            numbers += payload.numbers(4, self.details[5])
            require(sorted(numbers) == list(range(len(numbers))), "a number is no archetype's")
        return slots, columns

    def read_world(self, payload):
        components = self.components(payload)
        ids = self.ids(payload)
        slots, columns = self.rows(payload, components)
        require(len(slots) == self.count and set(slots) == ids.keys(),
                "an entity has not one row")
        for number, (_, encoded, flags) in enumerate(components):
            if flags & SPARSE:
                count = payload.number(4)
                payload.take(0 if self.format == 1 else 8)
                values = payload.take(encoded * count)
                owners = self.owners(payload, count)
                require(owners.items() <= ids.items(), "a value belongs to no entity")
                columns.append((number, owners, values))
        self.notes.append(f"{self.details[4]} archetypes")
        return lambda: self.entities(ids, components, columns)

    def entities(self, ids, components, columns):
        values = {slot: {} for slot in ids}
        for number, slots, column in sorted(columns, key=operator.itemgetter(0)):
            name, size, _ = components[number]
            for slot, value in zip(slots, split(column, size, len(slots))):
                values[slot][name] = value
        return self.join(ids, values.values())


def sections(data, offset=0):
    """Yields each Section of the bytes of a file, from the byte `offset` on, after checking it.
    Raises Damage."""
    file = Reader(bytes(data))
    require(file.data, "is empty")
    require(0 <= offset < len(file.data), f"has no byte {offset}")
    file.at = offset
    while file.at < len(file.data):
        begin = file.at
        try:
            section = Section(file)
        except Damage as damage:
            raise Damage(f"the section at byte {begin}: {damage}") from None
        yield section


def sections_of(path, offset):
    """The same of a file, whose name Damage has too."""
    with open(path, "rb") as opened:
        data = opened.read()
    try:
        yield from sections(data, offset)
    except Damage as damage:
        raise Damage(f"{path}: {damage}") from None


def printable(text):
    """Returns a text of a file without what may control a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def hex_of(value):
    text = value[:SHOWN_BYTES].hex(" ")
    return text if len(value) <= SHOWN_BYTES else f"{text} ... ({len(value)} bytes)"


def text_of_value(value):
    """Returns a value of an item as text."""
    if isinstance(value, int):
        return f"key {value} (0x{value:x})"
    if isinstance(value, dict):
        return " | ".join(f"{printable(name)} {hex_of(part)}".rstrip()
                          for name, part in value.items())
    return hex_of(value) if isinstance(value, bytes) else " | ".join(map(hex_of, value))


def text_of(section, item):
    """Returns the line of an item."""
    if section.is_changes:
        is_entity = section.kind == "world" and item.part == ENTITY
        part = "the entity" if is_entity else f"part {item.part}"
        value = item.value
        if section.kind == "index" and len(value) == 8:
            value = int.from_bytes(value, "little")
        text = f"0x{item.handle:016x}: {item.what} {part}"
        return f"{text}: {text_of_value(value)}" if item.value else text
    value, more = item.value, ""
    if section.kind == "lists" and len(value) > SHOWN_ITEMS:
        value, more = value[:SHOWN_ITEMS], f" | ... ({len(value)} items)"
    text = text_of_value(value) + more
    if item.handle is not None:
        text = f"0x{item.handle:016x}: {text}".rstrip()
    return f"{text} | meta {hex_of(item.meta)}" if item.meta else text


def check_file(path, offset=0, with_items=False):
    """Prints the sections of a file; raises Damage."""
    for section in sections_of(path, offset):
        print(f"{path}: {section.describe()}")
        for line in section.notes:
            print(f"    {line}")
        if with_items and section.count > 0:
            for item in section.items():
                print(f"    {text_of(section, item)}")


def difference_of(a, b):
    """Returns what differs first in two sections, or None."""
    for what in ("kind", "is_changes", "name", "layout", "version", "type_id", "item_size",
                 "encoded_size", "count", "flags", "details"):
        x, y = getattr(a, what), getattr(b, what)
        if x != y:
            return f"{what}: {x} and {y}"
    one, other = a.payload, b.payload
    at = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), None)
    if at is None:
        # Two programs that agree may be at marks of their own, so these come last.
        is_same = (a.epoch, a.mark) == (b.epoch, b.mark)
        return None if is_same else f"position: {a.describe_marks()}, and {b.describe_marks()}"
    size = a.encoded_size
    first = len(one) - a.count * size if a.kind == "pool" else 0
    has_items = a.kind in ("map", "pool", "table", "secondary") and not a.is_changes
    if has_items and first <= at < first + a.count * size:
        begin = first + (at - first) // size * size
        return (f"item {(at - first) // size}, byte {at - begin}:"
                f" {one[begin:begin + size].hex(' ')} and {other[begin:begin + size].hex(' ')}")
    return f"byte {at} of the payload: {one[at]:02x} and {other[at]:02x}"


def compare_files(first, second, offset=0):
    """Returns whether two files have the same sections; prints the first difference."""
    for a, b in itertools.zip_longest(sections_of(first, offset), sections_of(second, offset)):
        if a is None or b is None:
            print(f"only in {first if b is None else second}: {(a or b).describe()}")
            return False
        found = difference_of(a, b)
        if found is not None:
            print(f"{a.kind} '{printable(a.name)}', {found}")
            return False
    return True


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", action="store_true", help="print each item too")
    parser.add_argument("--offset", metavar="N", type=lambda text: int(text, 0), default=0,
                        help="begin at byte N of each file")
    parser.add_argument("--compare", action="store_true",
                        help="print the first container in which two files differ, and the first"
                        " item or number; end with 1 if there is any")
    parser.add_argument("files", nargs="+", metavar="FILE")
    given = parser.parse_args()
    if given.compare and (len(given.files) != 2 or given.items):
        parser.error("--compare takes two files, and no --items")
    return given


def main():
    given = arguments()
    code = 0
    # Names may have characters that the terminal has not; a reader such as head may end first.
    sys.stdout.reconfigure(errors="backslashreplace")
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        if given.compare:
            return not compare_files(*given.files, given.offset)
    except (Damage, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in given.files:
        try:
            check_file(path, given.offset, given.items)
        except (Damage, OSError) as error:
            print(error, file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
