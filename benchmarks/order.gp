# Draws the figures of order_benchmark, in the directory that holds them.
set terminal svg size 960,760 dynamic font 'sans-serif,15' background '#ffffff'
set border 3 lc rgb '#666666'
set tics nomirror out
set grid ytics lc rgb '#dddddd' lt 1
set lmargin 12
set rmargin 3
set key top left Left reverse samplen 2 textcolor rgb '#333333'

set output 'order_calls.svg'
set multiplot layout 2,1 title "{/:Bold 100,000 shuffled items, defragmented under a budget}\n\
{/*0.85 ten compares allowed for each swap; nothing moves during the sort}"
set logscale x
set ylabel "adjacent pairs in order, %"
set yrange [45:102]
plot for [i=0:2] 'order_calls.dat' index i using 1:2 with lines lw 2.5 \
    lc rgb word('#0072b2 #009e73 #d55e00', i + 1) \
    title word('100 1000 10000', i + 1).' swaps a call'
set xlabel 'call'
set ylabel 'cost of the call, microseconds'
set autoscale y
set logscale y
set key top right
plot for [i=0:2] 'order_calls.dat' index i using 1:3 with points pt 7 ps 0.25 \
    lc rgb word('#0072b2 #009e73 #d55e00', i + 1) \
    title word('100 1000 10000', i + 1).' swaps a call'
unset multiplot

set terminal svg size 960,520 dynamic font 'sans-serif,15' background '#ffffff'
set output 'order_moves.svg'
set title "{/:Bold Moves of items until 100,000 are in order}"
set xlabel 'items exchanged with random others, %'
set ylabel 'moves'
set key top left Left reverse
plot 'order_moves.dat' using 1:2 with linespoints lw 2.5 pt 7 lc rgb '#d55e00' \
        title 'insertion sort', \
     '' using 1:3 with linespoints lw 2.5 pt 7 lc rgb '#0072b2' title 'defragment'

set output 'order_churn.svg'
set title "{/:Bold 100,000 items, of which some are erased and as many inserted in each frame}\n\
{/*0.85 1000 swaps and 10,000 compares a frame}"
set xlabel 'changes a frame'
set ylabel 'adjacent pairs out of order, %'
set key top left
plot 'order_churn.dat' using 1:2 with linespoints lw 2.5 pt 7 lc rgb '#0072b2' \
        title 'by compare', \
     '' using 1:3 with linespoints lw 2.5 pt 7 lc rgb '#009e73' title 'by key'
