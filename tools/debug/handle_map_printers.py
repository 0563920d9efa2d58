# SPDX-License-Identifier: MIT
"""What debuggers show of handles and containers, typed or not, and of the classes of C++.
handle_map_gdb.py and handle_map_lldb.py bring it into gdb and lldb.

    wood = texture_handle(index 12, generation 7, type 3)
    textures = texture_map 'texture', 1 of 1000 items = {[index 12, generation 7, type 3] = {width = 64}}

Each live item is shown beside its handle. The items of a typed container have their type, if it has
the container's name (`struct texture` or `texture`), or if the program has a function of the
container that names the type (`texture_map_get`), which is not so where all of them are inlined.
Those of a class have the type that it is made for, and so have the components of an hm::world.
Other items are shown as bytes. Nothing is called in the program, so a core file will do. A zeroed or
damaged container is shown as far as it can be read, and every loop has a limit.
"""

import sys

LIMIT = 100000  # children of a container; gdb itself asks for those of `set print elements` only
SCANNED_WORDS = 1 << 14  # words of 64 slots in which a pool's next live item is looked for
NAME_LENGTH = 80
SHOWN_BYTES = 32  # of an item without a type
SHOWN_ITEMS = 200  # of a list
TEMPLATE_ARGUMENTS = 66  # a table of 64 columns, with lanes
READ_BYTES = 1 << 20  # at once: a damaged size may be any number

# Constants of the headers, which debug information has only if the program uses them.
POOL_ONE_RANGE, POOL_FIXED_BLOCKS = 0, 1
WORLD_ROW_BITS, WORLD_CLASS_BITS, WORLD_BASE_BITS, WORLD_UNIT_SIZE = 14, 2, 8, 512
NOWHERE = 0xFFFFFFFF

# What a debugger brings: `error`, the exception of its values; read(address, size), the bytes there;
# type_of(name), or None; pointed_to(name), the types that the function of this name returns a pointer
# to or takes one to; value_at(address, type); value_of(bytes, type, count), an array if there is a
# count; is_struct(type); types_of_class(type), what a class is made for, without its numbers and the
# lanes of a table. Values are used as those of gdb are.
debugger = None


class Damaged(Exception):
    """What was read makes no sense."""


def read(address, size):
    if size > READ_BYTES:
        raise Damaged(f"{size} bytes are too many")
    try:
        return debugger.read(address, size)
    except (debugger.error, OverflowError) as error:
        raise Damaged(f"the memory at {address:#x} cannot be read") from error


def text_at(pointer):
    """A string of C, or None for a null pointer."""
    address = int(pointer)
    if address == 0:
        return None
    text = b""
    while len(text) < NAME_LENGTH:
        byte = read(address + len(text), 1)
        if byte == b"\0":
            break
        text += byte
    return text.decode("utf-8", "replace")


def element(pointer, index):
    """pointer[index], read at once, so that a failure is seen here."""
    value = pointer[index]
    read(int(value.address), value.type.sizeof)
    return value


def handle_text(bits):
    if bits == 0:
        return "null"
    free = ", free" if bits >> 63 else ""
    return (f"index {bits & 0xFFFFFFFF}, generation {bits >> 32 & 0xFFFF}, "
            f"type {bits >> 48 & 0x7FFF}{free}")


def bytes_text(data):
    dots = " ..." if len(data) > SHOWN_BYTES else ""
    return data[:SHOWN_BYTES].hex(" ") + dots


def type_of_name(name, size):
    found = debugger.type_of(name)
    return found if found is not None and found.strip_typedefs().sizeof == size else None


def item_type(prefix, kind, size):
    """The type of the items in a container of HM_MAP_DEFINE and so on, or None if gdb knows no type
    of that size."""
    if prefix is None:
        return None
    container = f"{prefix}_{kind}"
    for verb in "get", "insert", "set", "push":
        for found in debugger.pointed_to(f"{container}_{verb}"):
            if found.name != container and found.sizeof == size:
                return found
    return type_of_name(f"struct {prefix}", size) or type_of_name(prefix, size)


def component_type(name, size):
    """The type of a component: what its functions name (place_get), or the type of that name."""
    if name is None:
        return None
    for verb in "get", "add":
        for found in debugger.pointed_to(f"{name}_{verb}"):
            if found.name != "hm_world" and found.sizeof == size:
                return found
    return type_of_name(f"struct {name}", size) or type_of_name(name, size)


def address_mask_of(pointer):
    """Addresses wrap, as a base may be below what it is the base of."""
    return (1 << 8 * pointer.type.sizeof) - 1


def address_mask(container):
    return address_mask_of(container["name"])


class HandlePrinter:
    def __init__(self, value, name, _types=()):
        self.value, self.name = value, name

    def to_string(self):
        try:
            return f"{self.name}({handle_text(int(self.value['bits']))})"
        except debugger.error as error:
            return f"{self.name}, {error}"


class ContainerPrinter:
    """A derived class tells the kind, the capacity, and the live items with their handles."""
    unit = "items"
    item_argument = 0  # which type of a class is that of the items

    def __init__(self, value, name, types=()):
        self.value = value
        self.name = name
        self.types = types  # those that a class is made for
        suffix = "_" + self.kind
        self.prefix = name.removesuffix(suffix) if name != "hm" + suffix else None

    def count(self):
        return int(self.value["count"])

    def more(self):
        return ""

    def to_string(self):
        try:
            count, capacity = self.count(), self.capacity()
            if capacity == 0:
                return f"{self.name}, not initialised"
            name = text_at(self.value["name"])
            damaged = ", damaged" if count > capacity or name is None else ""
            return f"{self.name} '{name}', {count} of {capacity} {self.unit}{self.more()}{damaged}"
        except (Damaged, debugger.error) as error:
            return f"{self.name}, damaged: {error}"

    def children(self):
        try:
            if self.count() > self.capacity():
                return
            found = self.live()
            for _ in range(min(self.count(), LIMIT)):
                handle, value = next(found)
                yield f"[{handle_text(handle)}]", value
        except StopIteration:
            return
        except (Damaged, debugger.error) as error:
            yield "[damaged]", str(error)

    def item_type(self, size):
        if self.types:
            found = self.types[self.item_argument]
            return found if found.sizeof == size else None
        return item_type(self.prefix, self.kind, size)

    def item(self, address, size):
        """An item by its type if gdb knows that, else its bytes."""
        data = read(address, min(size, SHOWN_BYTES + 1))
        found = self.item_type(size)
        if found is None:
            return bytes_text(data)
        return debugger.value_at(address, found)


class IdTablePrinter(ContainerPrinter):
    """A container with an ID table: position -> slot -> entry, whose position is the first one."""

    def ids(self):
        return self.value["ids"]

    def count(self):
        return int(self.ids()["count"])

    def capacity(self):
        return int(self.ids()["capacity"])

    def handles(self):
        ids = self.ids()
        for position in range(self.count()):
            slot = int(element(ids["slots"], position))
            if slot >= int(ids["slot_count"]):
                raise Damaged(f"position {position} has slot {slot} of {int(ids['slot_count'])}")
            entry = int(element(ids["entries"], slot)["bits"])
            if entry & 0xFFFFFFFF != position:
                raise Damaged(f"slot {slot} is not at position {position}")
            yield position, entry >> 32 << 32 | slot


class MapPrinter(IdTablePrinter):
    kind = "map"

    def live(self):
        items, size = int(self.value["items"]), int(self.value["item_size"])
        for position, handle in self.handles():
            yield handle, self.item(items + position * size, size)


class TablePrinter(IdTablePrinter):
    kind = "table"
    unit = "rows"

    def more(self):
        return f", {int(self.value['column_count'])} columns"

    def cells(self, row):
        """The bytes of each cell in a row."""
        group, lane = divmod(row, 1 << min(int(self.value["lane_shift"]), 31))
        cells = []
        for number in range(min(int(self.value["column_count"]), 64)):
            column = element(self.value["columns"], number)
            base, size = int(column["base"]), int(column["size"])
            cells.append(read(base + int(column["stride"]) * group + size * lane, size))
        return cells

    def row_type(self):
        return debugger.type_of(f"{self.prefix}_row") if self.prefix is not None else None

    def row(self, cells):
        """A row as the struct of HM_TABLE_DEFINE, as the cells of a class, or their bytes."""
        if self.types and [each.sizeof for each in self.types] == [len(cell) for cell in cells]:
            return " | ".join(str(debugger.value_of(*pair)) for pair in zip(cells, self.types))
        found = self.row_type()
        fields = found.strip_typedefs().fields() if found is not None else []
        if [field.type.sizeof for field in fields] != [len(cell) for cell in cells]:
            return " | ".join(map(bytes_text, cells))
        row = bytearray(found.sizeof)
        for field, cell in zip(fields, cells):
            row[field.bitpos // 8:field.bitpos // 8 + len(cell)] = cell
        return debugger.value_of(bytes(row), found)

    def live(self):
        for position, handle in self.handles():
            yield handle, self.row(self.cells(position))


class ListsPrinter(IdTablePrinter):
    kind = "lists"
    unit = "lists"

    @property
    def blocks(self):
        return self.value["blocks"]

    def more(self):
        return f", {int(self.blocks['item_count'])} items"

    def items(self, unit, count):
        """The items of a list as an array, or the bytes of each."""
        size, shift = int(self.blocks["item_size"]), min(int(self.blocks["unit_shift"]), 31)
        shown = min(count, SHOWN_ITEMS)
        data = read(int(self.blocks["base"]) + ((unit + 1) << shift), size * shown)
        found = self.item_type(size)
        if found is not None and shown > 0:
            return debugger.value_of(data, found, shown)
        return " | ".join(bytes_text(data[size * i:size * (i + 1)]) for i in range(shown))

    def live(self):
        for _, handle in self.handles():
            record = element(self.blocks["records"], handle & 0xFFFFFFFF)
            count = int(record["count"])
            yield handle, self.items(int(record["unit"]), count) if count != 0 else "empty"


class WorldPrinter(IdTablePrinter):
    """Each entity with the names and values of its components, as hm_world_dump lists them. A program
    does not know the record of a component: a size, two numbers of 32 bits and five pointers, of
    which the last is the name, then the index of the secondary of a sparse one."""
    kind = "world"
    unit = "entities"

    def more(self):
        return f", {int(self.value['archetype_count'])} archetypes"

    def components(self):
        """The name, or None, and the secondary, or None, of each component."""
        text, number = self.value["name"].type, self.value["salt"].type
        step = text.sizeof
        record = int(self.value["component_array"]["data"])
        name = 5 * step + 8
        for _ in range(min(int(self.value["component_count"]), LIMIT)):
            read(record, name + step + 16)
            sparse = int(debugger.value_at(record + name + step, number))
            yield (text_at(debugger.value_at(record + name, text)),
                   None if sparse == NOWHERE else self.secondary(sparse))
            record += name + step + 16

    def secondary(self, index):
        found = debugger.type_of("hm_secondary")
        if found is None:
            raise Damaged("hm_secondary is not known")
        return debugger.value_at(int(self.value["sparse"]) + (index + 1) * found.sizeof, found)

    def sparse_value(self, secondary, handle):
        """The address and the size of the value of an entity, or None."""
        slot = handle & NOWHERE
        if slot >= int(secondary["slot_end"]) or \
                int(element(secondary["segments"], slot >> int(secondary["segment_shift"]))) == 0:
            return None
        position, size = int(element(secondary["positions"], slot)), int(secondary["value_size"])
        if position >= int(secondary["count"]) or \
                int(element(secondary["owners"], position)["bits"]) != handle:
            return None
        return int(secondary["values"]) + position * size, size

    def row_value(self, place, number):
        """The same of one in an archetype."""
        chunk, row = int(place["chunk"]), int(place["row"])
        archetype = element(self.value["archetypes"], row >> WORLD_ROW_BITS)
        if number >= int(archetype["cell_count"]):
            return None
        cell = element(archetype["cells"], number)
        if not int(cell["is_present"]):
            return None
        rows = int(archetype["rows"][chunk & (1 << WORLD_CLASS_BITS) - 1])
        base = int(element(self.value["store"]["bases"], chunk & (1 << WORLD_BASE_BITS) - 1))
        size = int(cell["size"])
        return (base + chunk * (WORLD_UNIT_SIZE >> WORLD_BASE_BITS) + rows * int(cell["offset"]) +
                size * (row & (1 << WORLD_ROW_BITS) - 1) & address_mask(self.value), size)

    def component_text(self, number, name, place):
        address, size = place
        words = name if name is not None else f"component {number}"
        if size == 0:
            return words
        data = read(address, min(size, SHOWN_BYTES + 1))
        found = component_type(name, size)
        return f"{words} {bytes_text(data) if found is None else debugger.value_at(address, found)}"

    def live(self):
        components = list(self.components())
        for _, handle in self.handles():
            place = element(self.value["places"], handle & NOWHERE)
            found = [(number, name, self.row_value(place, number) if secondary is None else
                      self.sparse_value(secondary, handle))
                     for number, (name, secondary) in enumerate(components)]
            yield handle, " | ".join(self.component_text(*each) for each in found
                                     if each[2] is not None) or "no component"


class PoolPrinter(ContainerPrinter):
    kind = "pool"

    def capacity(self):
        return int(self.value["capacity"])

    def slots(self):
        """The live slots, from the bits of the words."""
        words, end = self.value["words"], int(self.value["slot_count"])
        unseen = 0
        for number in range((end + 63) // 64):
            bits = int(element(words, number)["live"])
            unseen = 0 if bits else unseen + 1
            if unseen > SCANNED_WORDS:
                raise Damaged(f"no live item in {unseen} words below slot {64 * number}")
            while bits:
                yield 64 * number + (bits & -bits).bit_length() - 1
                bits &= bits - 1

    def address(self, slot, size):
        places = self.value["places"]
        storage = int(places["storage"])
        if storage == POOL_ONE_RANGE:
            return int(places["items"]) + size * slot
        if storage == POOL_FIXED_BLOCKS:
            block = slot >> min(int(places["first_block"]), 32)
        else:
            block = max(slot | int(places["first_block"]), 1).bit_length() - 1
        # The base may be below the block, and wraps as an address does.
        return int(element(places["bases"], block)) + size * slot & address_mask(self.value)

    def live(self):
        size = int(self.value["item_size"])
        for slot in self.slots():
            upper = int(element(self.value["entries"], slot))
            yield upper << 32 | slot, self.item(self.address(slot, size), size)


class SecondaryPrinter(ContainerPrinter):
    kind = "secondary"
    unit = "values"
    item_argument = 1

    def capacity(self):
        return int(self.value["capacity"])

    def live(self):
        values, size = int(self.value["values"]), int(self.value["value_size"])
        for position in range(self.count()):
            owner = int(element(self.value["owners"], position)["bits"])
            yield owner, self.item(values + position * size, size)


class IndexPrinter(ContainerPrinter):
    """The owners and their keys."""
    kind = "index"
    unit = "owners"
    item_argument = 1

    def count(self):
        return int(self.value["owners"]["count"])

    def capacity(self):
        return int(self.value["owners"]["capacity"])

    def more(self):
        return f", {int(self.value['key_count'])} keys"

    def key(self, number):
        """A key as the number that it is, or as the type that a class takes."""
        if not self.types:
            return number
        found = self.types[self.item_argument]
        if debugger.is_struct(found):
            return self.item(int(number.address), found.sizeof)
        return number.cast(found)

    def live(self):
        owners = self.value["owners"]
        # A hm_index_place is two numbers, the bucket first. Programs do not use the type, so it is
        # not among theirs.
        places = owners["values"].cast(self.value["bucket_count"].type.unqualified().pointer())
        for position in range(self.count()):
            owner = int(element(owners["owners"], position)["bits"])
            bucket = int(element(places, 2 * position))
            if bucket >= int(self.value["bucket_count"]):
                raise Damaged(f"position {position} has bucket {bucket}")
            yield owner, self.key(element(self.value["buckets"], bucket)["key"])


class DirectoryPrinter:
    """The containers by their type ids. A program does not know the place of one: a pointer, and
    which kind of container it leads to."""
    KINDS = [None, "hm_map", "hm_pool", "hm_table", "hm_lists", "hm_world"]

    def __init__(self, value, name, _types=()):
        self.value, self.name = value["places"], name

    def places(self):
        step = self.value["data"].type.sizeof
        place = int(self.value["data"])
        for type_id in range(min(int(self.value["count"]), LIMIT)):
            data = read(place + 2 * step * type_id, 2 * step)
            kind = int.from_bytes(data[step:step + 4], sys.byteorder)
            if kind >= len(self.KINDS):
                raise Damaged(f"type id {type_id} has a container of kind {kind}")
            if kind != 0:
                yield type_id, self.KINDS[kind], int.from_bytes(data[:step], sys.byteorder)

    def to_string(self):
        try:
            if int(self.value["capacity"]) == 0:
                return f"{self.name}, not initialised"
            return f"{self.name}, {sum(1 for _ in self.places())} containers"
        except (Damaged, debugger.error) as error:
            return f"{self.name}, damaged: {error}"

    def children(self):
        try:
            for type_id, kind, address in self.places():
                found = debugger.type_of(kind)
                yield f"[type {type_id}]", (f"{kind} at {address:#x}" if found is None else
                                            debugger.value_at(address, found))
        except (Damaged, debugger.error) as error:
            yield "[damaged]", str(error)


class MemoryPrinter:
    """A memory table that divides a range: how much of it there is."""

    def __init__(self, value, name, _types=()):
        self.value, self.name = value, name

    def number(self, field):
        return int(self.value[field])

    def children(self):
        return iter(())

    def to_string(self):
        try:
            used = self.words() if self.number("page_count") != 0 else "not initialised"
            return f"{self.name}, {used}"
        except debugger.error as error:
            return f"{self.name}, damaged: {error}"


class ArenaPrinter(MemoryPrinter):
    def words(self):
        return (f"{self.number('ranges')} ranges, {self.number('used_size')} of "
                f"{self.number('size')} bytes, {self.number('committed_size')} committed")


class HistoryPrinter(MemoryPrinter):
    def words(self):
        return (f"{self.number('mark_count')} of {self.number('marks')} marks, the next is "
                f"{self.number('next_mark')}; {self.number('copies')} copies of "
                f"{self.number('copy_size')} bytes")


PRINTERS = {"hm_directory": DirectoryPrinter, "hm_handle": HandlePrinter, "hm_history": HistoryPrinter,
            "hm_index": IndexPrinter, "hm_lists": ListsPrinter, "hm_map": MapPrinter,
            "hm_memory_arena": ArenaPrinter, "hm_pool": PoolPrinter, "hm_secondary": SecondaryPrinter,
            "hm_table": TablePrinter, "hm_world": WorldPrinter}


def inner_of_class(value, kind):
    """The struct of C in an object of a class of hm."""
    if kind == "handle":
        return value["id_"]
    if kind == "world":
        return value["own_"]["core"].dereference()["c"]
    if kind == "history":
        return value["c_"]
    return value["own_"]["c"]


def printer_of(value):
    """The printer of a value, or None. The struct of a typed handle or container has one member, and
    its name ends with that of the kind. A class has the kind as its name."""
    found = value.type.strip_typedefs()
    if not debugger.is_struct(found) or found.tag is None:
        return None
    if found.tag in PRINTERS:
        return PRINTERS[found.tag](value, found.tag)
    if found.tag.startswith("hm::"):
        return printer_of_class(value, found)
    fields = found.fields()
    if len(fields) != 1:
        return None
    inner = fields[0].type.strip_typedefs()
    kind = inner.tag if debugger.is_struct(inner) else None
    if kind in PRINTERS and found.tag.endswith("_" + kind.removeprefix("hm_")):
        return PRINTERS[kind](value[fields[0].name], found.tag)
    return None


def printer_of_class(value, found):
    name = found.tag.partition("<")[0]
    kind = name.removeprefix("hm::")
    if "hm_" + kind not in PRINTERS:
        return None
    types = debugger.types_of_class(found)
    if types:
        name += f"<{', '.join(each.name or str(each) for each in types)}>"
    return PRINTERS["hm_" + kind](inner_of_class(value, kind), name, types)
