# Draws broadphase.csv, which `broadphase --csv broadphase.csv` writes, as broadphase.svg.
set terminal svg size 960,960 dynamic font 'sans-serif,15' background '#ffffff'
set output 'broadphase.svg'
set datafile separator comma
set border 3 lc rgb '#666666'
set tics nomirror out
set grid ytics lc rgb '#dddddd' lt 1
set autoscale xfix
set lmargin 11
set rmargin 3
set key top left Left reverse samplen 2 textcolor rgb '#333333'
updated = '#0072b2'
rebuilt = '#d55e00'
set multiplot layout 3,1 title "{/:Bold The contacts of 100,000 circles in a grid of cells, \
kept up to date or rebuilt in each frame}\n{/*0.8 index, contacts and defragmentation, against \
a counting sort and all contacts; medians of 3 runs; dots: frames, lines: medians of 15 frames}"
set ylabel "time in a frame, ms"
do for [movers in "1 10 100"] {
    of(value) = column(1) == movers + 0 ? value : NaN
    set autoscale y # which stats looks at
    stats 'broadphase.csv' using (of($12)) skip 1 nooutput
    top = STATS_max
    stats 'broadphase.csv' using (of($13)) skip 1 nooutput
    top = 1.6 * (STATS_max > top ? STATS_max : top)
    set yrange [0:top]
    if (movers eq '100') { set xlabel 'frame' }
    plot 'broadphase.csv' using 2:(of($11)) skip 1 with points pt 7 ps 0.2 lc rgb '#e8a066' \
             notitle, \
         '' using 2:(of($10)) skip 1 with points pt 7 ps 0.2 lc rgb '#66aad4' notitle, \
         '' using 2:(of($13)) skip 1 with lines lw 2.5 lc rgb rebuilt \
             title movers.'% of the circles move: rebuilt', \
         '' using 2:(of($12)) skip 1 with lines lw 2.5 lc rgb updated title 'kept up to date'
}
unset multiplot
