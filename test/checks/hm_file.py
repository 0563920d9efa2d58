# SPDX-License-Identifier: MIT
"""hm_file.py SOURCE: tools/hm_file.py reads the files of every kind that the tests keep, one by one
and one behind the other, sees each byte that is changed, and where a file was cut, and says which
byte of two states differs first."""
import contextlib
import io
import os
import re
import sys
import tempfile

SOURCE = sys.argv[1]
sys.path.insert(0, os.path.join(SOURCE, "tools"))
sys.dont_write_bytecode = True
import hm_file  # pylint: disable=wrong-import-position


def accepts(path, data):
    with open(path, "wb") as file:
        file.write(data)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            hm_file.check_file(path)
        except hm_file.Damage:
            return None
    return output.getvalue()


def check_differences(kind, data):
    for i in range(len(hm_file.Section(hm_file.Reader(data)).payload.data)):
        a, b = (hm_file.Section(hm_file.Reader(data)) for _ in range(2))
        if hm_file.difference_of(a, b) is not None:
            sys.exit(f"{kind}: equal files differ")
        changed = bytearray(b.payload.data)
        changed[i] ^= 1
        b.payload.data = bytes(changed)
        found = hm_file.difference_of(a, b)
        place = f"byte {i} of the payload"
        at = i - (len(changed) - a.count * a.encoded_size if kind == "pool" else 0)
        if (kind in ("map", "pool", "table", "secondary")
                and 0 <= at < a.count * a.encoded_size):
            place = f"item {at // a.encoded_size}, byte {at % a.encoded_size}"
        if found is None or not found.startswith(place + ": "):
            sys.exit(f"{kind}: the difference in byte {i} is told as {found}")


def main():
    with open(os.path.join(SOURCE, "test/save/golden.h"), encoding="ascii") as file:
        rows = re.findall(r"\{&saved_(\w+), \d+, [12],\n((?:\s*\"[0-9a-f]+\"\n?)+)\}", file.read())
    if len(rows) != 2 * (len(hm_file.KINDS) - 1):
        sys.exit(f"golden.h has {len(rows)} files")
    whole = b""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file.hm")
        for kind, text in rows:
            data = bytes.fromhex("".join(re.findall(r"\"([0-9a-f]+)\"", text)))
            whole += data
            output = accepts(path, data)
            if output is None or f": {kind} 'things': " not in output:
                sys.exit(f"{kind}: {output}")
            for i in range(len(data)):
                changed = data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1:]
                is_cut_seen = i % 5 != 0 or accepts(path, data[:i]) is None
                if accepts(path, changed) is not None or not is_cut_seen:
                    sys.exit(f"{kind}: a change of byte {i}, or its end there, is not seen")
            check_differences(kind, data)
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
