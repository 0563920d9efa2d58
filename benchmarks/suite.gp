# Draws the data files of report.py, in the directory that holds them.
set terminal svg size 1120,640 dynamic font 'sans-serif,14' background '#ffffff'
set tics nomirror out
set datafile missing 'nan'
blue = '#0072b2'; light_blue = '#56b4e9'; orange = '#e69f00'; grey = '#999999'
greens = '#00634a #009e73 #7fcfb6'

# Bars go from 1 to the ratio, on one logarithmic axis: a bar for half the time is as long as one
# for twice the time. The peer of each row is at its right.
set output 'ratios.svg'
load 'ratios.gp' # rows, low, high
set multiplot title "{/:Bold Time of one operation beside the fastest other container's: \
1,000,000 items of 40 bytes}\n{/*0.9 bars to the left: faster than the container named at the \
right; bars to the right: slower; medians}"
set border 1 lc rgb '#666666'
set grid xtics lc rgb '#dddddd' lt 1
set style fill solid 0.95 noborder
set logscale x
set xrange [low / 1.15:high * 1.15]
set yrange [rows - 0.4:-0.6]
set xtics ('1/8' 1.0/8, '1/4' 0.25, '1/3' 1.0/3, '1/2' 0.5, '3/4' 0.75, '1' 1, '1.5' 1.5, '2' 2, \
    '4' 4, '8' 8) scale 0.5
set xlabel "time, other container = 1"
set ytics noenhanced scale 0
set y2tics noenhanced scale 0 textcolor rgb '#666666'
set y2range [rows - 0.4:-0.6]
set tmargin at screen 0.82
set bmargin at screen 0.11
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lw 1.5 lc rgb '#333333' front
unset key

# The legend is words in the colours of the bars.
set label 1 '{/:Bold hm\_map}' at screen 0.16, screen 0.85 tc rgb blue
set label 2 '{/:Bold in batches of 256}' at screen 0.23, screen 0.85 tc rgb light_blue
set label 3 'fastest dense peer' at screen 0.447, screen 0.85 tc rgb '#333333'
set lmargin at screen 0.16
set rmargin at screen 0.44
plot 'ratios.dat' using (1):($0 - 0.18):(1):2:($0 - 0.35):($0 - 0.01):ytic(1):y2tic(4) \
        with boxxyerror lc rgb blue, \
     '' using (1):($0 + 0.18):(1):3:($0 + 0.01):($0 + 0.35) with boxxyerror lc rgb light_blue

set label 1 '{/:Bold hm\_pool}' at screen 0.585, screen 0.85 tc rgb word(greens, 1)
set label 2 '{/:Bold in fixed blocks}' at screen 0.66, screen 0.85 tc rgb word(greens, 2)
set label 3 '{/:Bold growing}' at screen 0.782, screen 0.85 tc rgb word(greens, 3)
set label 4 'fastest with holes' at screen 0.875, screen 0.85 tc rgb '#333333'
set lmargin at screen 0.585
set rmargin at screen 0.868
set format y ''
set y2tics ()
plot 'ratios.dat' using (1):($0 - 0.25):(1):5:($0 - 0.37):($0 - 0.13) \
        with boxxyerror lc rgb word(greens, 1), \
     '' using (1):($0):(1):6:($0 - 0.12):($0 + 0.12):y2tic(8) \
        with boxxyerror lc rgb word(greens, 2), \
     '' using (1):($0 + 0.25):(1):7:($0 + 0.13):($0 + 0.37) \
        with boxxyerror lc rgb word(greens, 3)
unset multiplot

reset
set terminal svg size 1120,760 dynamic font 'sans-serif,14' background '#ffffff'
set output 'growth.svg'
set datafile missing 'nan'
set border 3 lc rgb '#666666'
set tics nomirror out
set grid ytics lc rgb '#dddddd' lt 1
set style data linespoints
set logscale xy
load 'growth.gp' # rows, array_columns, batch_columns
stats 'growth.dat' using 1 name 'items' nooutput
set xrange [items_min / 1.5:items_max * 1.5]
set format x '%.0s%c'
set format y '%g'
set xtics 1000, 10
set multiplot layout 2,2 rowsfirst margins 0.07, 0.985, 0.08, 0.84 spacing 0.08, 0.15 \
    title "{/:Bold What one operation takes as a container grows, with items of 40 bytes}\n\
{/*0.9 flat: a large container costs what a small one does; a line climbs where items no longer \
fit into the caches}"
set ylabel 'ns an operation' offset 1, 0
unset key
set label 1 '{/:Bold hm\_map}' at screen 0.26, screen 0.905 tc rgb blue
set label 2 '{/:Bold in batches of 256}' at screen 0.34, screen 0.905 tc rgb light_blue
set label 3 '{/:Bold fastest other container}' at screen 0.5, screen 0.905 tc rgb orange
set label 4 '{/:Bold plain array}' at screen 0.69, screen 0.905 tc rgb grey
do for [i=0:words(rows)-1] {
    set title word(rows, i + 1) noenhanced offset 0, -0.7
    if (i >= 2) { set xlabel 'items' offset 0, 0.3 }
    plot 'growth.dat' index i using 1:4 lw 2 pt 7 ps 0.6 lc rgb orange, \
         '' index i using 1:int(word(array_columns, i + 1)) lw 2 pt 7 ps 0.6 lc rgb grey, \
         '' index i using 1:int(word(batch_columns, i + 1)) \
            lw 2 pt 7 ps 0.6 lc rgb light_blue, \
         '' index i using 1:2 lw 2.5 pt 7 ps 0.7 lc rgb blue
    unset label
}
unset multiplot
