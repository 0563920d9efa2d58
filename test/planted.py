#!/usr/bin/env python3
"""Plants one bug at a time, of the kinds that the seeds of the design had, into a copy of the
library, and says which check finds it and after how many seconds.

    planted.py BUILD_DIRECTORY

A check that does not find a bug is not wrong by that: each looks for something else. A bug that no
check finds is a failure, and so is a bug that no longer fits the source.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 60  # seconds that a check may take
ENVIRONMENT = dict(os.environ, HM_TEST_SEED="1",
                   ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1")
TABLE = "include/handle_map/id_table.h"

# What, the file, what it says, what it says with the bug, the fuzz target that is near.
BUGS = [
    ("a free slot answers a guessed handle", TABLE,
     " || position >= count)", ")", "hostile"),
    ("generations wrap", TABLE,
     "if (hm_handle_generation(entry) == HM_HANDLE_MAX_GENERATION)", "if (false)", "map"),
    ("clear loses the free slots", TABLE,
     "    table->count = 0;", "    table->count = table->used = 0;", "map"),
    ("type ids above 0x7FFF are taken", "src/id_table.c",
     " || desc->type_id > HM_HANDLE_MAX_TYPE_ID", "", "map"),
    ("erasing the last item breaks its slot's link", TABLE,
     "HM_HANDLE_FREE_BIT | last;", "HM_HANDLE_FREE_BIT;", "map"),
    ("an item is moved onto itself", "src/map.c",
     "    if (index != last)\n        report_move", "    report_move", "map"),
    ("a budget of swaps is not kept", "src/order_private.h",
     "if (call->budget.max_swaps != 0 && call->spent.swaps >= call->budget.max_swaps)",
     "if (false)", "lying"),
    ("done is said while unsorted", "src/order.c",
     "(state->phase == HM_ORDER_SCAN || state->phase == HM_ORDER_INSERT);", "true;", "map"),
    ("a key edited in place is not seen", "src/map.c",
     "    if (index != HM_INVALID_INDEX)\n        hm_order_disturb",
     "    if (false)\n        hm_order_disturb", "map"),
    ("items are ordered without their meta", "src/map.c",
     "        hm_order_exchange_bytes(map->meta_array.data + meta_size * a,\n"
     "                                map->meta_array.data + meta_size * b, meta_size);",
     "        (void)map;", "map"),
    ("equal items are mixed up", "src/order_place.c",
     "    bool is_first = probe < lifted;", "    bool is_first = true;", "lying"),
    ("an item that was erased while it was lifted is taken for one", "src/order_place.c",
     "if (hm_order_is_lifted(state, *from))", "if (*from < state->cursor)", "map"),
    ("an arrangement does not see what changes meanwhile", "src/order.c",
     "    if (is_arranging_freely(state)) {", "    if (false) {", "map"),
    ("pages are taken for 4 KiB", "src/array.c",
     "target = round_up(target, array->memory->page_size);",
     "target = round_up(target, 4096);", "map"),
    ("the system's refusal is not heard", "src/array.c",
     "        return HM_ERROR_MEMORY;\n    set_committed_size(array, target);",
     "        set_committed_size(array, target);\n    set_committed_size(array, target);", "map"),
    ("trim takes a page in which an item lives", "src/pool.c",
     "word < word_count(range.end); word++)\n        if (pool->words[word].live",
     "word < range.end / HM_POOL_WORD; word++)\n        if (pool->words[word].live", "pool"),
    ("a slot is a hole before all of its pages are back", "src/pool.c",
     "if (!hm_pool_storage_has(pool, word * HM_POOL_WORD + hm_bits_lowest(cold)))",
     "if (false)", "pool"),
    ("a run of items goes past the end of its block", "src/pool.c",
     "hm_pool_storage_run_end(pool, first);", "pool->slot_count;", "pool"),
    ("offsets have 32 bits", "include/handle_map/map.h",
     "items += item_size * index;",
     "items += (uint32_t)(item_size * index);", "map"),
]


def sources(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern)))


def run(command, place, limit=None):
    """The exit code, or None when the time is up."""
    process = subprocess.Popen(command, cwd=place, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def build(place, program, compiler, files, include=(), library=None):
    command = compiler + ["-std=c11", "-w", "-I" + os.path.join(place, "src")]
    command += ["-I" + path for path in include]
    command += ["-I" + os.path.join(place, "include"), "-I" + os.path.join(ROOT, "docs/examples")]
    library = library or sorted(glob.glob(os.path.join(place, "src/*.c")))
    if run(command + files + library + ["-pthread", "-lm", "-o", program], place) != 0:
        raise RuntimeError(f"{program} does not compile")


def seconds_to_fail(place, command):
    began = time.monotonic()
    code = run(command, place, LIMIT)
    # A check that hangs has been found, too; a fuzzer ends by itself.
    return None if code == 0 else time.monotonic() - began


def support():
    return sources("test/support/*.c", "test/map_model.c", "test/map_operations.c",
                   "test/pool_memory.c", "test/pool_model.c")


def check_tests(place):
    """The unit tests, suite by suite; the models are checks of their own."""
    tests = [s for s in sources("test/*_test.c") if not s.endswith(("model_test.c", "misuse_test.c"))]
    build(place, "tests", ["gcc", "-O1"],
          tests + support() + sources("docs/examples/scene_graph.c"))
    suites = set()
    for test in tests:
        with open(test, encoding="utf-8") as file:
            suites |= set(re.findall(r"^(?:DEATH_)?TEST\((\w+),", file.read(), re.MULTILINE))
    began = time.monotonic()
    for suite in sorted(suites, key=lambda name: (name == "map_trust", name)):
        if seconds_to_fail(place, ["./tests", suite + "."]) is not None:
            return f"{time.monotonic() - began:.1f} s ({suite})"
    return None


def check_model(place):
    build(place, "model", ["gcc", "-O1"],
          sources("test/map_model_test.c", "test/id_table_model_test.c",
                  "test/pool_model_test.c") + support())
    return seconds_to_fail(place, ["./model"])


def check_small_world(place):
    narrow = os.path.join(ROOT, "test/small_world/narrow.sh")
    folder = os.path.join(place, "narrow/handle_map")
    os.makedirs(folder)
    narrowed = os.path.join(place, "narrow")
    steps = [("include/handle_map/handle.h", os.path.join(folder, "handle.h"),
              ["UINT32_C(0xFFFF)", "UINT32_C(0x3)"]),
             ("include/handle_map/pool.h", os.path.join(folder, "pool.h"),
              ["HM_POOL_FIRST_BLOCK_SHIFT = 4", "HM_POOL_FIRST_BLOCK_SHIFT = 0"]),
             ("include/handle_map/memory.h", os.path.join(folder, "memory.h"),
              ["HM_MEMORY_ALIGNMENT 4096", "HM_MEMORY_ALIGNMENT 16"]),
             ("src/array.c", os.path.join(narrowed, "array.c"),
              ["min_commit_step = (size_t)64 << 10;", "min_commit_step = 8;"]),
             ("src/pool_storage.c", os.path.join(narrowed, "pool_storage.c"),
              ["min_step = (size_t)64 << 10;", "min_step = 8;", "MIN_INDEX_SIZE = 64",
               "MIN_INDEX_SIZE = 2", "MAX_PIECE_BLOCKS = 64", "MAX_PIECE_BLOCKS = 2"])]
    for source, target, constants in steps:
        with open(target, "w", encoding="utf-8") as file:
            subprocess.run([narrow, os.path.join(place, source), *constants], stdout=file,
                           check=True)
    library = sorted(glob.glob(os.path.join(narrowed, "*.c")))
    library += [s for s in sorted(glob.glob(os.path.join(place, "src/*.c")))
                if not os.path.exists(os.path.join(narrowed, os.path.basename(s)))]
    build(place, "world", ["gcc", "-O2"], sources("test/small_world/*.c"),
          [os.path.join(place, "narrow"), os.path.join(ROOT, "test/small_world")], library)
    return seconds_to_fail(place, ["./world"])


def check_fuzzer(place, target):
    build(place, "fuzz", ["clang", "-O1", "-fsanitize=fuzzer,address,undefined",
                          "-fno-sanitize-recover=all", f'-DFUZZ_TARGET="{target}"'],
          sources("test/fuzz/fuzz.c", "test/fuzz/pool.c", "test/fuzz/fuzz_main.c") +
          [s for s in support() if not s.endswith("plain.c")] )
    os.makedirs(os.path.join(place, "corpus"))
    return seconds_to_fail(place, ["./fuzz", f"-max_total_time={LIMIT - 10}", "-max_len=1024",
                                   "-timeout=10", "corpus"])


def plant(place, bug):
    _, path, old, new, _ = bug
    shutil.rmtree(place, ignore_errors=True)
    for part in ("src", "include"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(place, part))
    with open(os.path.join(place, path), encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        raise RuntimeError(f"'{bug[0]}' no longer fits {path}")
    with open(os.path.join(place, path), "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def say(found):
    if found is None:
        return "-"
    return found if isinstance(found, str) else f"{found:.1f} s"


def main():
    place = os.path.abspath(os.path.join(sys.argv[1], "planted"))
    missed = 0
    print("| bug | unit tests | model | small world | fuzzer |\n|---|---|---|---|---|")
    for bug in BUGS:
        plant(place, bug)
        found = [check_tests(place), check_model(place), check_small_world(place),
                 check_fuzzer(place, bug[4])]
        missed += all(result is None for result in found)
        print("|", bug[0], "|", " | ".join(say(result) for result in found), "|", flush=True)
    print(f"{len(BUGS)} bugs planted, {missed} not found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
