#!/bin/sh
# SPDX-License-Identifier: MIT
# rename.sh SOURCE: tools/rename-0.4.sh gives a program the names and the order of arguments of 0.4,
# leaves what had no limit with a name that does not compile, and prints each line to decide about.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
needs perl

cat >"$work/program.c" <<'END'
hm_budget zeroed, none = {0}, some = {.max_swaps = 9};
hm_budget frame = hm_budget_of(1000, 0);
hm_budget half = hm_budget_of(n / 2, 10);
void sort(hm_budget *budget);
HM_POOL_DEFINE (spark, int, 1)
hm_map_changes(
    history, /* the, history */
    &g->map, 1, 2, f(a, "b,c"), NULL);
hm_merge_begin_map (&merge, &maps[i], NULL);
hm_map_watch(f<a, b>(x), &m);
sprites.changes(history, 1, 2);
spark_pool_item(&p, 1), spark_pool_at(&p, 2), hm_pool_at(&p, 3);
#define WATCH(kind) hm_##kind##_watch(&history, &kind)
HM_EACH_LIVE(struct spark, s, &p) end(s_run.index, t_run.index);
hm_pool_desc d = {.item_size = 8, .reuse = HM_REUSE_LAST}, e = {.reuse = HM_REUSE_LAST, 0};
d.reuse = HM_REUSE_DEFAULT;
END
cat >"$work/expected.c" <<'END'
hm_budget zeroed, none = {0}, some = {.max_swaps = 9};
hm_frame_budget frame = hm_frame_budget_of(1000, HM_NO_LIMIT);
hm_frame_budget half = hm_frame_budget_of(n / 2, 10);
void sort(hm_frame_budget *budget);
HM_POOL_DEFINE (spark, int, 1)
hm_map_changes(
    /* the, history */
    &g->map, history, 1, 2, f(a, "b,c"), NULL);
hm_map_merge_begin (&maps[i], &merge, NULL);
hm_map_watch(f<a, b>(x), &m);
sprites.changes(history, 1, 2);
spark_pool_item_at(&p, 1), spark_pool_live_at(&p, 2), hm_pool_live_at(&p, 3);
#define WATCH(kind) hm_##kind##_watch(&history, &kind)
HM_POOL_EACH(struct spark, s, s_index, &p) end(s_index, t_run.index);
hm_pool_desc d = {.item_size = 8}, e = { 0};
d.reuse = HM_REUSE_DEFAULT;
END
cd "$work"
sh "$source/tools/rename-0.4.sh" program.c >output
diff expected.c program.c || fail "rename-0.4.sh writes something else"
cut -d: -f2 output | tr -d ' \n' >lines
[ "$(cat lines)" = 'hm_map_watch(f<a,b>(x),&m);131316' ] || {
    cat output >&2
    fail "rename-0.4.sh should print the line that it does not understand, and lines 1, 3, 13 and 16"
}
