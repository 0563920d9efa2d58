# Draws what report.py has written, in the directory that holds it.
set terminal svg size 960,640 dynamic font 'sans-serif,15' background '#ffffff'
set border 3 lc rgb '#666666'
set tics nomirror out
set grid ytics lc rgb '#dddddd' lt 1
set key textcolor rgb '#333333'
set datafile missing 'nan'

set output 'ratios.svg'
set title "{/:Bold Time of hm\\_map: 1,000,000 items of 40 bytes}\n\
{/*0.85 as a share of others' time, medians; lower is better}"
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set logscale y
set ylabel 'share of their time'
set yrange [0.05:20]
set ytics (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
set xtics rotate by -30 left
set rmargin 6
set bmargin 7
set key top right
set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 1.5 lc rgb '#666666' back
plot 'ratios.dat' using ($3 > 0.05 ? $3 : 0.05):xtic(1) lc rgb '#0072b2' \
        title 'of the best dense peer', \
     '' using ($6 > 0.05 ? $6 : 0.05) lc rgb '#56b4e9' \
        title 'in batches, of the best dense peer', \
     '' using ($2 > 0.05 ? $2 : 0.05) lc rgb '#e69f00' title 'of a plain array', \
     '' using ($0 - 0.125):5 with points pt 9 ps 1.2 lc rgb '#d55e00' title 'goal against the peer'

set terminal svg size 1200,1250 dynamic font 'sans-serif,13' background '#ffffff'
set output 'growth.svg'
unset arrow
unset title
set style data linespoints
set autoscale y
set logscale xy
set ytics autofreq
set xtics norotate autofreq
set lmargin
set bmargin
set rmargin 2
set format x '10^{%L}'
set xrange [700:70000000]
set xtics 1000, 10
unset key
set multiplot layout 5,3 title "{/:Bold Cost as work grows: ns an operation over items of 40 bytes}"
load 'growth.gp' # rows, array_columns, batch_columns
set format y '%g'
do for [i=0:words(rows)-1] {
    set title word(rows, i + 1) noenhanced
    if (i % 3 == 0) { set ylabel 'ns' } else { unset ylabel }
    if (i + 3 >= words(rows)) { set xlabel 'items' }
    plot 'growth.dat' index i using 1:4 lw 2 pt 7 ps 0.6 lc rgb '#e69f00', \
         '' index i using 1:int(word(array_columns, i + 1)) \
            lw 2 pt 7 ps 0.6 lc rgb '#999999', \
         '' index i using 1:int(word(batch_columns, i + 1)) \
            lw 2 pt 7 ps 0.6 lc rgb '#56b4e9', \
         '' index i using 1:2 lw 2.5 pt 7 ps 0.7 lc rgb '#0072b2'
}
# The legend takes the place of a plot.
unset border
unset tics
unset grid
unset title
unset xlabel
unset ylabel
set key center center Left reverse samplen 3
set yrange [1:2]
plot NaN with linespoints lw 2.5 pt 7 ps 0.7 lc rgb '#0072b2' title 'hm\_map', \
     NaN with linespoints lw 2 pt 7 ps 0.6 lc rgb '#56b4e9' title 'hm\_map in batches', \
     NaN with linespoints lw 2 pt 7 ps 0.6 lc rgb '#e69f00' title 'best dense peer at each size', \
     NaN with linespoints lw 2 pt 7 ps 0.6 lc rgb '#999999' title 'plain array'
unset multiplot
