# SPDX-License-Identifier: MIT
"""hm_file.py SOURCE: tools/hm_file.py reads the files of every kind that the tests keep, one by one
and one behind the other, with their items, and some that are made here. It sees each byte that is
changed, and where a file was cut, stops at nothing that a forged file has, and says which byte of
two states differs first."""
import contextlib
import io
import os
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tools"))
sys.dont_write_bytecode = True
import hm_file  # pylint: disable=wrong-import-position


# A part of what is printed of the items of each file.
ITEMS = {
    "map": "0x004d000400000002: d3 3c d1 47 a1 be 6a 87 b7 50 5a e1 a0 9e d3 21 d7 c7 a6 0d 81 fe"
           " 2b 91 88 bb 53 84 d0 30 bc 57 ... (40 bytes)\n",
    "pool": "0x004e000300000002: 8e 20 2d 82 39 55 0f 24 ",
    "table": "0x004f000400000002: d3 3c d1 47 | a1 be 6a 87 b7 50 5a e1 | a0 | 9e d3 21 d7 c7 a6 0d"
             " 81\n",
    "secondary": "0x00500003000002df: 6b 83 ec 7d 5b ba cc 92 ",
    "lists": "0x0051000100000000: 8d d1 2b d7 90 70 a4 8c ad d5 b9 e8 78 b7 da 0d f2 96 74 ef 1c fd"
             " 1b 60 | 51 ea f8 96 b3 b0 3b b4 71 bb 17 4e 6a e2 f3 07 1b 8c 5b e8 ec 7a 0e 4b\n",
    "index": "0x0051000200000229: key 41 (0x29)\n",
    "world": "0x0052000100000000: position dc 33 ea e8 1e 82 2b d5 | target 2b fd cd 8d 66 9d d4 cb"
             " 03 6b bb f6 | matrix b1 fd 4c 8c ",
}
HANDLE = 0x0051000200000229
POSITION = (3, 0, 7, 1)  # mark 2^32 + 7 of epoch 3


def make(kind, payload, numbers=(), flags=0, count=1, size=1, type_id=0, version=2):
    """Returns a section, whose payload is one block."""
    name = b"things"
    head = hm_file.MAGIC + struct.pack("<2H6I2BHQ", version, kind, flags, type_id, size, size, 0,
                                       count, len(name), 0, len(numbers), len(payload))
    head += struct.pack(f"<{len(numbers)}I", *numbers) + name
    return b"".join(part + struct.pack("<Q", hm_file.xxh64(part)) for part in (head, payload))


def change(what, part, value):
    return struct.pack("<QIIB", HANDLE, part, len(value), what) + value


# Sections, and what is printed of them; None: they are refused.
MADE = (
    (make(8, bytes(range(40)), POSITION, 8, count=40),
     "bytes 'things': 40 bytes, at mark 4294967303 of epoch 3\n"
     "    " + bytes(range(32)).hex(" ") + " ... (40 bytes)\n"),
    (make(8, b"ab", count=2), "bytes 'things': 2 bytes\n    61 62\n"),
    (make(8, b"ab", count=1), None),
    (make(8, b"ab", (1,), count=2), None),
    (make(8, b"ab", (1,), 8, count=2), None),
    (make(22, change(2, 0, struct.pack("<Q", 41)), (5, 1, 9, 1) + POSITION, 8),
     "index 'things': 1 changes, type id 0, 25 bytes, from mark 4294967301 to mark 4294967303 of"
     " epoch 3, 9 changes are in sections before, more follow\n"
     "    0 inserted, 0 erased, 1 edited\n"
     f"    0x{HANDLE:016x}: edited part 0: key 41 (0x29)\n"),
    (make(23, change(0, 0xFFFFFFFF, b"") + change(1, 2, b""), (5, 0, 0, 0), count=2),
     "world 'things': 2 changes, type id 0, 34 bytes, from mark 5\n"
     "    1 inserted, 1 erased, 0 edited\n"
     f"    0x{HANDLE:016x}: inserted the entity\n    0x{HANDLE:016x}: erased part 2\n"),
    (make(17, change(2, 1, b"ab"), version=1),
     "map 'things': 1 changes, type id 0, 19 bytes\n    0 inserted, 0 erased, 1 edited\n"
     f"    0x{HANDLE:016x}: edited part 1: 61 62\n"),
    (make(17, change(2, 1, b"ab"), (5, 0, 0, 0), version=1), None),
    (make(17, change(2, 1, b"ab"), (5, 0, 0)), None),
    (make(17, change(2, 1, b"ab"), (5, 0, 0, 2)), None),
    (make(1, b"abcdef" + struct.pack("<2H", 1, 3), (0, 2, 0, 1) + POSITION, 10, count=2, size=2,
          type_id=77),
     "map 'things': 2 items of 2 bytes, type id 77, 10 bytes, at mark 4294967303 of epoch 3\n"
     "    0 free slots, 1 bytes of meta\n"
     "    0x004d000100000000: 61 62 | meta 65\n    0x004d000300000001: 63 64 | meta 66\n"),
    (make(5, struct.pack("<H2I", 1, 0, 40) + bytes(40), (0, 1, 0, 1, 40, 0), 2, version=1),
     "lists 'things': 1 items of 1 bytes, type id 0, 50 bytes\n    40 items, blocks of 1 lists\n"
     "    0x0000000100000000:" + " 00 |" * 32 + " ... (40 items)\n"),
    (make(2, struct.pack("<2HQ", 1, 1, 1 << 5) + b"a", (1, 2, 0)), None),
    (make(2, struct.pack("<2HQ", 1, 4, 1 << 1) + b"a", (1, 2, 0)),
     "pool 'things': 1 items of 1 bytes, type id 0, 13 bytes\n    1 holes\n"
     "    0x0000000400000001: 61\n"),
    (make(24, b"ab"), "kind 24 'things': 1 items of 1 bytes, type id 0, 2 bytes\n"),
)


def accepts(path, data, offset=0):
    with open(path, "wb") as file:
        file.write(data)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            hm_file.check_file(path, offset, with_items=True)
        except hm_file.Damage:
            return None
    return output.getvalue()


def check_differences(kind, data):
    a, b = next(hm_file.sections(data)), next(hm_file.sections(data))
    payload = a.payload
    for i in range(len(payload)):
        b.payload = payload
        if hm_file.difference_of(a, b) is not None:
            sys.exit(f"{kind}: equal files differ")
        b.payload = payload[:i] + bytes([payload[i] ^ 1]) + payload[i + 1:]
        found = hm_file.difference_of(a, b)
        place = f"byte {i} of the payload"
        at = i - (len(payload) - a.count * a.encoded_size if kind == "pool" else 0)
        if (kind in ("map", "pool", "table", "secondary")
                and 0 <= at < a.count * a.encoded_size):
            place = f"item {at // a.encoded_size}, byte {at % a.encoded_size}"
        if found is None or not found.startswith(place + ": "):
            sys.exit(f"{kind}: the difference in byte {i} is told as {found}")


def check_forged(data):
    """What is read of a section with other bytes ends with the items, or with Damage."""
    head = 48 + 4 * struct.unpack_from("<H", data, 38)[0] + data[36] + data[37]
    bare = bytearray(data[:head] + bytes(8) + data[head + 8:-8] + bytes(8))
    xxh64, hm_file.xxh64 = hm_file.xxh64, lambda _: 0
    for i in range(len(bare)):
        for value in (0, bare[i] ^ 1, 255):
            forged = bare[:i] + bytes([value]) + bare[i + 1:]
            with contextlib.suppress(hm_file.Damage):
                for section in hm_file.sections(forged):
                    for item in section.items():
                        hm_file.text_of(section, item)
    hm_file.xxh64 = xxh64


def check_made(path):
    for data, text in MADE:
        output = accepts(path, b"before" + data, 6)
        if output != (text and f"{path}: {text}"):
            sys.exit(f"printed is\n{output}not\n{path}: {text}, as it should")
        check_forged(data)
    at_7, at_8 = (next(hm_file.sections(make(8, b"ab", (3, 0, mark, 0), 8, count=2)))
                  for mark in (7, 8))
    found = hm_file.difference_of(at_7, at_8)
    if found != "position: at mark 7 of epoch 3, and at mark 8 of epoch 3":
        sys.exit(f"two marks differ as {found}")


def check_written(path):
    """The sections of the library that golden.h has not: positions, changes in parts, bytes."""
    with open(os.path.join(SOURCE, "test/save/golden_sections.h"), encoding="ascii") as file:
        data = bytes.fromhex("".join(re.findall(r"\"([0-9a-f]+)\"", file.read())))
    output = accepts(path, data)
    for text in ("bytes 'b': 3 bytes", f"at mark 5 of epoch {0x1122334455667788}\n",
                 "from mark 0 to mark 1 of epoch 258, more follow\n",
                 "2 changes are in sections before\n", ": inserted the entity\n"):
        if text not in output:
            sys.exit(f"no '{text}' in\n{output}")


def check_command_line(path):
    """The options do what the functions do, and what is wrong ends with 1, or 2."""
    def run(*options):
        command = [sys.executable, "-B", os.path.join(SOURCE, "tools/hm_file.py"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)
    data, text = MADE[0]
    with open(path, "wb") as file:
        file.write(b"before" + data)
    for options, code, output in ((("--items", "--offset", "6", path), 0, f"{path}: {text}"),
                                  (("--compare", "--offset", "6", path, path), 0, ""),
                                  ((path,), 1, ""), (("--compare", path), 2, "")):
        result = run(*options)
        is_told = bool(result.stderr) == (code != 0)
        if (result.returncode, result.stdout) != (code, output) or not is_told:
            sys.exit(f"{options}: {result}")


def main():
    with open(os.path.join(SOURCE, "test/save/golden.h"), encoding="ascii") as file:
        rows = re.findall(r"\{&saved_(\w+), \d+, [12],\n((?:\s*\"[0-9a-f]+\"\n?)+)\}", file.read())
    if len(rows) != 2 * len(ITEMS):
        sys.exit(f"golden.h has {len(rows)} files")
    whole = b""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file.hm")
        for kind, text in rows:
            data = bytes.fromhex("".join(re.findall(r"\"([0-9a-f]+)\"", text)))
            whole += data
            output = accepts(path, data)
            if (output is None or f": {kind} 'things': " not in output
                    or f"\n    {ITEMS[kind]}" not in output):
                sys.exit(f"{kind}: {output}")
            for i in range(len(data)):
                changed = data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1:]
                is_cut_seen = i % 5 != 0 or accepts(path, data[:i]) is None
                if accepts(path, changed) is not None or not is_cut_seen:
                    sys.exit(f"{kind}: a change of byte {i}, or its end there, is not seen")
            check_differences(kind, data)
            check_forged(data)
        check_made(path)
        check_written(path)
        check_command_line(path)
        if accepts(path, whole).count("things") != len(rows):
            sys.exit("all behind one another are not read")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            is_same = hm_file.compare_files(path, path)
            with open(path + "2", "wb") as file:
                file.write(whole[:-len(data)])
            is_shorter = not hm_file.compare_files(path, path + "2")
        if not is_same or not is_shorter or f"only in {path}: {kind} " not in output.getvalue():
            sys.exit(f"the comparison says {output.getvalue()}")
    print(f"{len(rows)} files, {len(whole)} bytes")


main()
