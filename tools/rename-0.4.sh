#!/bin/sh
# SPDX-License-Identifier: MIT
# rename-0.4.sh FILE...: brings sources that use handle_map 0.3 to the names of 0.4: rewrites the
# files in place, and prints the lines that need a decision. docs/changelog.md has the table of old
# and new names. Pass all files of a program at once: what HM_POOL_DEFINE and its like define in one is
# renamed in all. Needs perl. Run it once: a second run would exchange arguments back.
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

my $kinds = 'map|pool|table|secondary|lists|index|world';
my %renamed = (
    hm_budget => 'hm_frame_budget',
    hm_budget_of => 'hm_frame_budget_of',
    hm_pool_item => 'hm_pool_item_at',
    hm_pool_at => 'hm_pool_live_at',
    map { ("hm_merge_begin_$_" => "hm_${_}_merge_begin") } split(/\|/, $kinds),
);
for my $all (values %text) {
    while ($all =~ /\bHM_POOL_DEFINE\w*\((\w+)/g) {
        $renamed{"${1}_pool_item"} = "${1}_pool_item_at";
        $renamed{"${1}_pool_at"} = "${1}_pool_live_at";
    }
}
my $names = join '|', map { quotemeta } sort keys %renamed;

# The container that the name says comes first: these exchange their first two arguments.
my $swaps = qr/hm_(?:$kinds)_(?:watch|changes|save_changes)|hm_merge_begin_(?:$kinds)/;

# Without commas and parentheses, or in parentheses, brackets or quotes.
my $nested;
$nested = qr/\((?:[^()"']++|"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|(??{$nested}))*+\)/;
my $argument = qr/(?:[^(),"'\[\]{};]++|$nested|\[[^\]]*+\]|\{[^}]*+\}|"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+')+/;

for my $file (@ARGV) {
    my $old = $text{$file};
    my $new = $old;
    # From the end to the start, so that a call in an argument of another is found too.
    my @at;
    push @at, $-[0] while $new =~ /\b$swaps\(/g;
    for my $start (reverse @at) {
        pos($new) = $start;
        $new =~ s/\G(\w+\(\s*)($argument),(\s*)($argument)(?=[,)])/$1$4,$3$2/
            or printf "%s: %s: not understood\n", $file, substr($new, $start, 40) =~ s/\n.*//sr;
    }
    # A literal limit of 0 was none.
    $new =~ s/\bhm_budget_of\(\s*0\s*,/hm_budget_of(HM_NO_LIMIT,/g;
    $new =~ s/\b(hm_budget_of\($argument,\s*)0\s*\)/$1HM_NO_LIMIT)/g;
    $new =~ s/\bhm::budget_of\(\s*0\s*,/hm::budget_of(hm::no_limit,/g;
    $new =~ s/\b(hm::budget_of\($argument,\s*)0\s*\)/$1hm::no_limit)/g;
    $new =~ s/\b($names)\b/$renamed{$1}/g;
    $new =~ s/\bhm::(budget(?:_of)?)\b/hm::frame_$1/g;
    my $number = 0;
    for my $line (split /\n/, $new) {
        $number++;
        print "$file:$number: a limit of 0 is spent now: HM_NO_LIMIT is none, and fields are called "
            . "swaps_left and compares_left\n"
            if $line =~ /\bmax_(?:swaps|compares)\b|\bframe_budget\)?\s*(?:\w+\s*=\s*)?\{|frame_budget_of\((?!(?:[1-9]\d*|(?:HM_|hm::)\w+),\s*(?:[1-9]\d*|(?:HM_|hm::)\w+)\))/;
        print "$file:$number: pass frame_budget_of(swaps, compares) in place of {swaps, compares}\n"
            if $line =~ /\.(?:defragment(?:_by)?|arrange)\(.*\{\s*\w+\s*,\s*\w+\s*\}/;
    }
    next if $new eq $old;
    open(my $out, '>', $file) or die "$file: $!\n";
    print $out $new;
}
END
