# SPDX-License-Identifier: MIT
"""Pretty-printers of gdb for handles and containers, typed or not, and for the classes of C++.

    (gdb) source tools/debug/handle_map_gdb.py
    (gdb) print wood
    $1 = texture_handle(index 12, generation 7, type 3)
    (gdb) print textures
    $2 = texture_map 'texture', 1 of 1000 items = {[index 12, generation 7, type 3] = {width = 64}}

Put the first line into ~/.gdbinit to have them always. `print/r` shows the fields themselves.

Each live item is shown beside its handle. The items of a typed container have their type, if it has
the container's name (`struct texture` or `texture`), or if the program has a function of the
container that names the type (`texture_map_get`), which is not so where all of them are inlined.
Those of a class have the type that it is made for. Other items are shown as bytes. Nothing is called
in the program, so a core file will do. A zeroed or damaged container is shown as far as it can be
read, and every loop has a limit.
"""
import gdb
import gdb.printing

LIMIT = 100000  # children of a container; gdb itself asks for those of `set print elements` only
SCANNED_WORDS = 1 << 14  # words of 64 slots in which a pool's next live item is looked for
NAME_LENGTH = 80
SHOWN_BYTES = 32  # of an item without a type
SHOWN_ITEMS = 200  # of a list
TEMPLATE_ARGUMENTS = 66  # a table of 64 columns, with lanes
READ_BYTES = 1 << 20  # at once: a damaged size may be any number

# Constants of the headers, which debug information has only if the program uses them.
POOL_ONE_RANGE, POOL_FIXED_BLOCKS = 0, 1
POOL_FIRST_BLOCK_SHIFT = 4
WORLD_ROW_BITS = 14
NOWHERE = 0xFFFFFFFF


class Damaged(Exception):
    """What was read makes no sense."""


def read(address, size):
    if size > READ_BYTES:
        raise Damaged(f"{size} bytes are too many")
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except (gdb.error, OverflowError) as error:
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
    try:
        found = gdb.lookup_type(name)
    except gdb.error:
        return None
    return found if found.strip_typedefs().sizeof == size else None


def types_of_function(name):
    """What a function returns a pointer to, or takes one to."""
    symbol = gdb.lookup_static_symbol(name) or gdb.lookup_global_symbol(name)
    if symbol is None or symbol.type is None or symbol.type.code != gdb.TYPE_CODE_FUNC:
        return []
    types = [symbol.type.target(), *(field.type for field in symbol.type.fields())]
    return [found.target().unqualified() for found in types if found.code == gdb.TYPE_CODE_PTR]


def item_type(prefix, kind, size):
    """The type of the items in a container of HM_MAP_DEFINE and so on, or None if gdb knows no type
    of that size."""
    if prefix is None:
        return None
    container = f"{prefix}_{kind}"
    for verb in "get", "insert", "set", "push":
        for found in types_of_function(f"{container}_{verb}"):
            if found.name != container and found.sizeof == size:
                return found
    return type_of_name(f"struct {prefix}", size) or type_of_name(prefix, size)


class HandlePrinter:
    def __init__(self, value, name, _types=()):
        self.value, self.name = value, name

    def to_string(self):
        try:
            return f"{self.name}({handle_text(int(self.value['bits']))})"
        except gdb.error as error:
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
        except (Damaged, gdb.error) as error:
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
        except (Damaged, gdb.error) as error:
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
        return gdb.Value(address).cast(found.pointer()).dereference()


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
        try:
            return gdb.lookup_type(f"{self.prefix}_row") if self.prefix is not None else None
        except gdb.error:
            return None

    def row(self, cells):
        """A row as the struct of HM_TABLE_DEFINE, as the cells of a class, or their bytes."""
        if self.types and [each.sizeof for each in self.types] == [len(cell) for cell in cells]:
            return " | ".join(str(gdb.Value(*pair)) for pair in zip(cells, self.types))
        found = self.row_type()
        fields = found.strip_typedefs().fields() if found is not None else []
        if [field.type.sizeof for field in fields] != [len(cell) for cell in cells]:
            return " | ".join(map(bytes_text, cells))
        row = bytearray(found.sizeof)
        for field, cell in zip(fields, cells):
            row[field.bitpos // 8:field.bitpos // 8 + len(cell)] = cell
        return gdb.Value(bytes(row), found)

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
            return gdb.Value(data, found.array(shown - 1))
        return " | ".join(bytes_text(data[size * i:size * (i + 1)]) for i in range(shown))

    def live(self):
        for _, handle in self.handles():
            record = element(self.blocks["records"], handle & 0xFFFFFFFF)
            count = int(record["count"])
            yield handle, self.items(int(record["unit"]), count) if count != 0 else "empty"


class WorldPrinter(IdTablePrinter):
    kind = "world"
    unit = "entities"

    def more(self):
        return f", {int(self.value['archetype_count'])} archetypes"

    def components(self, slot):
        """The numbers of an entity's components, without the sparse ones."""
        place = element(self.value["places"], slot)
        archetype = element(self.value["archetypes"], int(place["row"]) >> WORLD_ROW_BITS)
        count = min(int(archetype["set_count"]), 64)
        return ", ".join(str(int(element(archetype["set"], i))) for i in range(count))

    def live(self):
        for _, handle in self.handles():
            yield handle, f"components {self.components(handle & 0xFFFFFFFF) or 'none'}"


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
            block, place = slot >> min(int(places["block_shift"]), 32), slot
        else:
            place = slot + (1 << POOL_FIRST_BLOCK_SHIFT)
            block = place.bit_length() - 1 - POOL_FIRST_BLOCK_SHIFT
        # The base may be below the block, and wraps as an address does.
        return int(element(places["bases"], block)) + size * place & self.address_mask()

    def address_mask(self):
        return (1 << 8 * self.value["words"].type.sizeof) - 1

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
        if found.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
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


PRINTERS = {"hm_handle": HandlePrinter, "hm_index": IndexPrinter, "hm_lists": ListsPrinter, "hm_map": MapPrinter,
            "hm_pool": PoolPrinter, "hm_secondary": SecondaryPrinter, "hm_table": TablePrinter,
            "hm_world": WorldPrinter}


def types_of_class(found):
    """The types that a class is made for, without its numbers and the lanes of a table."""
    types = []
    for number in range(TEMPLATE_ARGUMENTS):
        try:
            argument = found.template_argument(number)
        except gdb.error:  # gdb does not know this type
            continue
        except RuntimeError:  # no further one
            break
        if isinstance(argument, gdb.Type) and not str(argument).startswith("hm::lanes<"):
            types.append(argument)
    return types


def inner_of_class(value, kind):
    """The struct of C in an object of a class of hm."""
    if kind == "handle":
        return value["id_"]
    if kind == "world":
        return value["own_"]["core"].dereference()["c"]
    return value["own_"]["c"]


class Lookup:
    """What gdb asks for the printer of a value. The struct of a typed handle or container has one
    member, and its name ends with that of the kind. A class has the kind as its name."""
    name = "handle_map"
    enabled = True

    def __call__(self, value):
        found = value.type.strip_typedefs()
        if found.code != gdb.TYPE_CODE_STRUCT or found.tag is None:
            return None
        if found.tag in PRINTERS:
            return PRINTERS[found.tag](value, found.tag)
        if found.tag.startswith("hm::"):
            return self.of_class(value, found)
        fields = found.fields()
        if len(fields) != 1:
            return None
        inner = fields[0].type.strip_typedefs()
        kind = inner.tag if inner.code == gdb.TYPE_CODE_STRUCT else None
        if kind in PRINTERS and found.tag.endswith("_" + kind.removeprefix("hm_")):
            return PRINTERS[kind](value[fields[0]], found.tag)
        return None

    def of_class(self, value, found):
        name = found.tag.partition("<")[0]
        kind = name.removeprefix("hm::")
        if "hm_" + kind not in PRINTERS:
            return None
        types = types_of_class(found)
        if types:
            name += f"<{', '.join(each.name or str(each) for each in types)}>"
        return PRINTERS["hm_" + kind](inner_of_class(value, kind), name, types)


gdb.printing.register_pretty_printer(gdb.current_objfile(), Lookup(), replace=True)
