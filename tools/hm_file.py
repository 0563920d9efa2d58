#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hm_file.py FILE...: lists the containers that a program has saved to a file, and checks it, without
the program: all checksums, and that the parts of each container fit together. docs/format.md has the
format. Prints the first damage of a file, with its byte, and ends with 1 if there is any.

hm_file.py --compare A B: prints the first container in which two files differ, and the first item
or number, and ends with 1 if there is any."""
import itertools
import struct
import sys

MAGIC = bytes.fromhex("89484D530D0A1A0A")
BLOCK = 65536
KINDS = ["", "map", "pool", "table", "secondary", "lists", "index", "world"]
CHANGES = 16  # added to the kind of a container: what changed in it
ENCODED, ASCENDING, REUSE_LAST = 1, 2, 4
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
          0x27D4EB2F165667C5)
MASK = (1 << 64) - 1


class Damage(Exception):
    """What is wrong with a file."""


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


class Section:
    """A header, and the payload without its checksums."""

    def __init__(self, file):
        begin = file.at
        require(file.take(8) == MAGIC, "no section begins here")
        self.format, self.kind = file.numbers(2, 2)
        (self.flags, self.type_id, self.item_size, self.encoded_size, self.version,
         self.count) = file.numbers(4, 6)
        name_size, layout_size = file.take(2)
        detail_count = file.number(2)
        size = file.number(8)
        self.details = file.numbers(4, detail_count)
        self.name = file.take(name_size).decode("utf-8", "replace")
        self.layout = file.take(layout_size).decode("utf-8", "replace")
        header = file.data[begin:file.at]
        require(file.number(8) == xxh64(header), "the checksum of the header is wrong")
        require(0 < self.format < 3,
                f"the format has version {self.format}, which is not known here")
        blocks = []
        while size > 0:
            blocks.append(file.take(min(size, BLOCK)))
            require(file.number(8) == xxh64(blocks[-1]), "the checksum of a block is wrong")
            size -= len(blocks[-1])
        self.payload = Reader(b"".join(blocks))

    def describe(self):
        """Returns a line about the container."""
        kind = KINDS[self.kind] if self.kind < len(KINDS) else f"kind {self.kind}"
        text = f"{kind} '{self.name}': {self.count} items of {self.item_size} bytes"
        if 0 < self.kind - CHANGES < len(KINDS):
            text = f"{KINDS[self.kind - CHANGES]} '{self.name}': {self.count} changes"
        if self.flags & ENCODED:
            text += f", encoded as {self.encoded_size}"
        if self.layout or self.version:
            text += f", layout '{self.layout}' version {self.version}"
        return text + f", type id {self.type_id}, {len(self.payload.data)} bytes"

    def check(self):
        """Reads the parts of the payload, and yields lines about them."""
        if self.kind < len(KINDS) and self.kind > 0:
            yield from getattr(self, "check_" + KINDS[self.kind])(self.payload)
            require(self.payload.at == len(self.payload.data), "is longer than its parts")
        if 0 < self.kind - CHANGES < len(KINDS):
            yield self.check_changes(self.payload)
            require(self.payload.at == len(self.payload.data), "is longer than its parts")

    def check_changes(self, payload):
        """The changes. Returns a line with the numbers of them."""
        kinds = [0, 0, 0]
        for _ in range(self.count):
            _, part, size, kind = payload.number(8), *payload.numbers(4, 2), payload.take(1)[0]
            require(kind < len(kinds), f"has a change of part {part} of the kind {kind}")
            payload.take(size)
            kinds[kind] += 1
        return "{} inserted, {} erased, {} edited".format(*kinds)

    def ids(self, payload):
        """The part of an ID table. Returns the generation of each slot, and the live slots."""
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
        return generations, set(live)

    def owners(self, payload, count):
        found = [(payload.number(4), payload.number(2)) for _ in range(count)]
        require(len({slot for slot, _ in found}) == count, "two owners have one slot")
        require(all(generation for _, generation in found), "an owner has generation 0")
        return found

    def check_map(self, payload):
        payload.take((self.encoded_size + self.details[3]) * self.count)
        self.ids(payload)
        yield f"{self.details[0]} free slots, {self.details[3]} bytes of meta"

    def check_pool(self, payload):
        holes, slots, recent = self.details[:3]
        generations = payload.numbers(2, slots)
        named = payload.numbers(4, recent)
        require(all(slot < slots and generations[slot] for slot in named), "a hole is no slot")
        live = set(range(slots)) - set(named) - {s for s in range(slots) if not generations[s]}
        if recent != holes:
            words = payload.numbers(8, -(-slots // 64))
            live = {64 * w + i for w, word in enumerate(words) for i in range(64) if word >> i & 1}
        require(len(live) == self.count, "as many slots are not live as there are items")
        payload.take(self.encoded_size * self.count)
        yield f"{holes} holes"

    def check_table(self, payload):
        payload.take(self.encoded_size * self.count)
        self.ids(payload)
        yield f"columns of {', '.join(map(str, self.details[3:]))} bytes"

    def check_secondary(self, payload):
        payload.take(self.encoded_size * self.count)
        self.owners(payload, self.count)
        yield f"owners in {self.details[0]} slots"

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
            owned -= 1
            if count >> 31:
                powers -= 1
                require(0 < payload.take(1)[0] < 31, "a block has no such size")
            yield name, count & 0x7FFFFFFF
        require(powers == 0, "has another number of blocks with a power of two of units")

    def check_lists(self, payload):
        filled, items = self.details[3], self.details[4] | self.details[5] << 32
        _, live = self.ids(payload)
        seen = set()
        for slot, count in self.blocks(payload, 4, filled, self.details[6:]):
            require(slot in live and slot not in seen, "a list is none, or there twice")
            seen.add(slot)
            payload.take(self.encoded_size * count)
        yield f"{items} items, blocks of {filled} lists"

    def check_index(self, payload):
        self.owners(payload, self.count)
        members = []
        for _, count in self.blocks(payload, 8, self.details[1], self.details[2:]):
            members += payload.numbers(4, count)
        require(sorted(members) == list(range(self.count)), "an owner has not one key")
        yield f"{self.details[1]} keys"

    def check_world(self, payload):
        components = []
        for _ in range(self.details[3]):
            name_size, layout_size = payload.take(2)
            flags = payload.number(2)
            size, encoded, version = payload.numbers(4, 3)
            name = payload.take(name_size).decode("utf-8", "replace")
            payload.take(layout_size)
            components.append((encoded, flags))
            yield (f"component '{name}': {size} bytes{', sparse' if flags & 2 else ''}"
                   f"{f', encoded as {encoded}' if flags & 1 else ''}, version {version}")
        generations, live = self.ids(payload)
        rows, numbers = [], []
        is_old = self.format == 1
        for _ in range(self.details[4]):
            count, set_count = payload.numbers(4, 2)
            if not is_old:
                numbers.append(payload.number(4))
                payload.take(9)
            parts = payload.numbers(2, set_count)
            require(all(part < len(components) for part in parts), "a component is none")
            if not is_old:
                payload.take(8 * sum(components[part][0] != 0 for part in parts))
            while count > 0:
                group = min(count, 64)
                rows += payload.numbers(4, group)
                payload.take(group * sum(components[part][0] for part in parts))
                count -= group
        require(len(rows) == self.count and set(rows) == live, "an entity has not one row")
        if not is_old:
            numbers += payload.numbers(4, self.details[5])
            require(sorted(numbers) == list(range(len(numbers))), "a number is no archetype's")
        for encoded, flags in components:
            if flags & 2:
                count = payload.number(4)
                payload.take(encoded * count + (0 if is_old else 8))
                for slot, generation in self.owners(payload, count):
                    require(slot in live and generations[slot] == generation,
                            "a value belongs to no entity")
        yield f"{self.details[4]} archetypes"


def check_file(path):
    """Prints the sections of a file; raises Damage."""
    with open(path, "rb") as opened:
        file = Reader(opened.read())
    require(file.data, "is empty")
    while file.at < len(file.data):
        begin = file.at
        try:
            section = Section(file)
            lines = list(section.check())
        except Damage as damage:
            raise Damage(f"the section at byte {begin}: {damage}") from None
        print(f"{path}: {section.describe()}")
        for line in lines:
            print(f"    {line}")


def read_sections(path):
    with open(path, "rb") as opened:
        file = Reader(opened.read())
    while file.at < len(file.data):
        yield Section(file)


def difference_of(a, b):
    """Returns what differs first in two sections, or None."""
    for what in ("kind", "name", "layout", "version", "type_id", "item_size", "encoded_size",
                 "count", "flags", "details"):
        x, y = getattr(a, what), getattr(b, what)
        if x != y:
            return f"{what}: {x} and {y}"
    one, other = a.payload.data, b.payload.data
    at = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), None)
    if at is None:
        return None
    size = a.encoded_size
    kind = KINDS[a.kind] if a.kind < len(KINDS) else None
    first = len(one) - a.count * size if kind == "pool" else 0
    if kind in ("map", "pool", "table", "secondary") and first <= at < first + a.count * size:
        begin = first + (at - first) // size * size
        return (f"item {(at - first) // size}, byte {at - begin}:"
                f" {one[begin:begin + size].hex(' ')} and {other[begin:begin + size].hex(' ')}")
    return f"byte {at} of the payload: {one[at]:02x} and {other[at]:02x}"


def compare_files(first, second):
    """Returns whether two files have the same sections; prints the first difference."""
    for a, b in itertools.zip_longest(read_sections(first), read_sections(second)):
        if a is None or b is None:
            print(f"only in {first if b is None else second}: {(a or b).describe()}")
            return False
        found = difference_of(a, b)
        if found is not None:
            kind = KINDS[a.kind] if a.kind < len(KINDS) else f"kind {a.kind}"
            print(f"{kind} '{a.name}', {found}")
            return False
    return True


def main():
    code = 0
    if len(sys.argv) == 4 and sys.argv[1] == "--compare":
        try:
            return not compare_files(*sys.argv[2:])
        except (Damage, OSError) as error:
            print(error, file=sys.stderr)
            return 1
    if len(sys.argv) < 2 or "--help" in sys.argv:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        try:
            check_file(path)
        except (Damage, OSError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
