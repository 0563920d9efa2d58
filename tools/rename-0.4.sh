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
    hm_budget_of => 'hm_frame_budget_of',
    hm_pool_item => 'hm_pool_item_at',
    hm_pool_at => 'hm_pool_live_at',
    map { ("hm_merge_begin_$_" => "hm_${_}_merge_begin") } split(/\|/, $kinds),
);
for my $all (values %text) {
    while ($all =~ /\bHM_POOL_DEFINE\w*\s*\(\s*(\w+)/g) {
        $renamed{"${1}_pool_item"} = "${1}_pool_item_at";
        $renamed{"${1}_pool_at"} = "${1}_pool_live_at";
    }
}
my $limit = qr/(?:[1-9]\d*|HM_NO_LIMIT|hm::no_limit)/;
my $names = join '|', map { quotemeta } sort keys %renamed;

# The container that the name says comes first: these exchange their first two arguments.
my $swaps = qr/hm_(?:$kinds)_(?:watch|changes|save_changes)|hm_merge_begin_(?:$kinds)/;

# Without commas and parentheses, or in parentheses, brackets, quotes or a comment.
my $nested;
$nested = qr/\((?:[^()"']++|"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|(??{$nested}))*+\)/;
my $text = qr/"(?:\\.|[^"\\])*+"|'(?:\\.|[^'\\])*+'|\/\*.*?\*\/|\/\/[^\n]*+|\//s;
my $argument = qr/(?:[^(),"'\[\]{};\/]++|$nested|\[[^\]]*+\]|\{[^}]*+\}|$text)+/;

sub exchange {
    my ($call, $first, $space, $second) = @_;
    # A comma within < and > would not separate arguments.
    return undef if grep { s/->//gr =~ /[<>]/ } $first, $second;
    return "$call$second,$space$first";
}

for my $file (@ARGV) {
    my $old = $text{$file};
    my $new = $old;
    # From the end to the start, so that a call in an argument of another is found too.
    my @at;
    push @at, $-[0] while $new =~ /\b$swaps\b/g;
    for my $start (reverse @at) {
        pos($new) = $start;
        my $call;
        $call = exchange($1, $2, $3, $4)
            if $new =~ /\G(\w+\s*\(\s*)($argument),(\s*)($argument)(?=[,)])/;
        if (defined $call) {
            substr($new, $start, $+[0] - $start) = $call;
        } else {
            printf "%s: %s: not understood\n", $file, substr($new, $start, 40) =~ s/\n.*//sr;
        }
    }
    # A literal limit of 0 was none.
    $new =~ s/\bhm_budget_of\(\s*0\s*,/hm_budget_of(HM_NO_LIMIT,/g;
    $new =~ s/\b(hm_budget_of\($argument,\s*)0\s*\)/$1HM_NO_LIMIT)/g;
    $new =~ s/\bhm::budget_of\(\s*0\s*,/hm::budget_of(hm::no_limit,/g;
    $new =~ s/\b(hm::budget_of\($argument,\s*)0\s*\)/$1hm::no_limit)/g;
    $new =~ s/\b($names)\b/$renamed{$1}/g;
    $new =~ s/\bhm::budget_of\b/hm::frame_budget_of/g;
    # One with braces, or nothing, keeps its old name, with which it does not compile: it had no limit.
    $new =~ s/\bhm_budget\b(?=\s*[*&]|\s+\w+\s*(?:[)(]|=(?!\s*\{)))/hm_frame_budget/g;
    $new =~ s/\bhm::budget\b(?=\s*[*&]|\s+\w+\s*(?:[)(]|=(?!\s*\{)))/hm::frame_budget/g;
    # The program names the index of a loop itself.
    my %items;
    $new =~ s/\bHM_EACH_LIVE\(\s*($argument),\s*(\w+)\s*,/$items{$2} = 1; "HM_POOL_EACH($1, $2, ${2}_index,"/ge;
    $new =~ s/\b(\w+)_run\.index\b/$items{$1} ? "${1}_index" : $&/ge;
    # A pool's order of reuse had no effect.
    $new =~ s/\s*\.reuse\s*=\s*HM_REUSE_\w+,|,\s*\.reuse\s*=\s*HM_REUSE_\w+//g;
    my $number = 0;
    for my $line (split /\n/, $new) {
        $number++;
        print "$file:$number: a name is pasted: the container comes first now\n"
            if $line =~ /##\w*_(?:watch|changes|save_changes)\b|\bhm_merge_begin_##/;
        print "$file:$number: a limit of 0 is spent now, HM_NO_LIMIT is none: hm_frame_budget has "
            . "swaps_left and compares_left\n"
            if $line =~ /\bmax_(?:swaps|compares)\b|\bhm_budget\b|\bhm::budget\b/
            or $line =~ /frame_budget_of\((?!\s*$limit,\s*$limit\)|$)/;
        print "$file:$number: a pool has one order of reuse: leave it out\n"
            if $line =~ /\bhm_reuse\b|\bHM_REUSE_|\breuse\s*=/;
        print "$file:$number: pass frame_budget_of(swaps, compares) in place of {swaps, compares}\n"
            if $line =~ /\.(?:defragment(?:_by)?|arrange)\(.*\{\s*\w+\s*,\s*\w+\s*\}/;
    }
    next if $new eq $old;
    open(my $out, '>', $file) or die "$file: $!\n";
    print $out $new;
}
END
