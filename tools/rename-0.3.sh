#!/bin/sh
# SPDX-License-Identifier: MIT
# rename-0.3.sh FILE...: brings sources that use handle_map 0.2 to the names of 0.3: rewrites the
# files in place, and prints the lines that need a decision. docs/changelog.md has the table of old
# and new names. Pass all files of a program at once: what HM_COMPONENT_DEFINE, HM_COMMANDS_DEFINE
# and HM_LISTS_DEFINE define in one is renamed in all. Needs perl. Run it once: a second run would
# exchange arguments back.
set -eu
[ $# -gt 0 ] || {
    echo "usage: $0 FILE..." >&2
    exit 2
}
exec perl - "$@" <<'END'
use strict;
use warnings;

my %text;
for my $file (@ARGV) {
    open(my $in, '<', $file) or die "$file: $!\n";
    local $/;
    $text{$file} = <$in>;
}

# The functions whose second and third argument change places.
my %swapped = map { $_ => 1 } qw(hm_table_cell hm_table_group hm_table_handle_of);
# The functions with a fourth argument, which may be NULL.
my %longer = (hm_world_remove => 1);
my %renamed = (
    hm_directory_add => 'hm_directory_add_map',
    hm_directory_remove => 'hm_directory_remove_map',
    hm_directory_find => 'hm_directory_find_map',
    hm_lists_remove_at => 'hm_lists_erase_ordered_at',
    hm_world_table_count => 'hm_world_archetype_count',
    max_tables => 'max_archetypes',
    HM_COMPONENT_TABLE => 'HM_COMPONENT_ARCHETYPE',
);
for my $all (values %text) {
    while ($all =~ /\bHM_COMPONENT_DEFINE(?:_TAG)?\((\w+)/g) {
        my $prefix = $1;
        $swapped{"${prefix}_$_"} = 1 for qw(get has add remove changed touch);
        $longer{"${prefix}_remove"} = 1;
    }
    while ($all =~ /\bHM_COMMANDS_DEFINE(?:_TAG)?\((\w+)/g) {
        my $prefix = $1;
        $swapped{"${prefix}_commands_$_"} = 1 for qw(add remove);
    }
    while ($all =~ /\bHM_LISTS_DEFINE\((\w+)/g) {
        $renamed{"${1}_lists_remove_at"} = "${1}_lists_erase_ordered_at";
    }
}
my $swaps = join '|', map { quotemeta } sort keys %swapped;
my $longer = join '|', map { quotemeta } sort keys %longer;
my $names = join '|', map { quotemeta } sort keys %renamed;

# Without commas and parentheses, or in parentheses, brackets or quotes.
my $nested;
$nested = qr/\((?:[^()"']++|"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|(??{$nested}))*+\)/;
my $argument = qr/(?:[^(),"'\[\]{};]++|$nested|\[[^\]]*+\]|\{[^}]*+\}|"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+')+/;

sub within {
    my ($call) = @_;
    $call =~ s/\(hm_budget\)\s*\{\s*0\s*(?:,\s*0\s*)?\}\)$/NULL)/
        or $call =~ s/\((hm_budget)\)\s*(\{[^{}]*\})\)$/&($1)$2)/;
    return $call;
}

for my $file (@ARGV) {
    my $old = $text{$file};
    my $new = $old;
    # From the end to the start, so that a call in an argument of another is found too.
    my @at;
    push @at, $-[0] while $new =~ /\b(?:$swaps)\(/g;
    for my $start (reverse @at) {
        pos($new) = $start;
        $new =~ s/\G(\w+\()($argument),(\s*)($argument),(\s*)($argument)(?=[,)])/$1$2,$3$6,$5$4/
            or printf "%s: %s: not understood\n", $file, substr($new, $start, 40) =~ s/\n.*//sr;
    }
    @at = ();
    push @at, $-[0] while $new =~ /\b(?:$longer)\(/g;
    for my $start (reverse @at) {
        pos($new) = $start;
        $new =~ s/\G(\w+\((?:$argument,){2}$argument)\)/$1, NULL)/;
    }
    $new =~ s/\b($names)\b/$renamed{$1}/g;
    # A literal budget becomes one that the call may spend, or no limit.
    $new =~ s/(\b\w+_(?:defragment|arrange)$nested)/within($1)/ge;
    my $number = 0;
    for my $line (split /\n/, $new) {
        $number++;
        print "$file:$number: purge is remove_if now: its predicate has another argument, and says "
            . "who is doomed\n" if $line =~ /_purge\(|\.purge\(/;
        print "$file:$number: remove_at of a class is erase_ordered_at now\n"
            if $line =~ /\.remove_at\(/;
        print "$file:$number: a secondary's or an index's init takes a capacity alone: use init_for\n"
            if $line =~ /\b(?!hm_)\w+_(?:secondary|index)_init\([^,()]*,[^,()]*,/;
        print "$file:$number: hm_array_reserve takes how many more now, not how many in all\n"
            if $line =~ /\bhm_array_reserve\(/;
        print "$file:$number: a budget is shared and spent by calls now: pass its address, and begin "
            . "each frame with a new one\n" if $line =~ /\bhm_budget\s+\w+|\bhm::budget\b/;
        print "$file:$number: a loop over a query is an hm_query_loop now, which begin takes after the "
            . "query, and next, end, changed and touch instead of it\n"
            if $line =~ /\bhm_query_(?:begin|next|end|changed|touch)\(/;
        print "$file:$number: table_count of a world is archetype_count now\n"
            if $line =~ /\.table_count\(/;
    }
    next if $new eq $old;
    open(my $out, '>', $file) or die "$file: $!\n";
    print $out $new;
}
END
