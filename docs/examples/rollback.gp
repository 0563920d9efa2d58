# Draws rollback.csv, which `rollback --csv rollback.csv` writes, as rollback.svg: ten seconds of one
# side.
set terminal svg size 960,540 dynamic font 'sans-serif,15' background '#ffffff'
set output 'rollback.svg'
set datafile separator comma
set border 3 lc rgb '#666666'
set tics nomirror out
set grid ytics lc rgb '#dddddd' lt 1
set lmargin 9
set rmargin 3
set key outside bottom center horizontal samplen 2 textcolor rgb '#333333'
set title "{/:Bold What going back costs a game of 10,000 entities, in each tick}\n{/*0.8 inputs \
come after 100 ms, 5% of the packets are lost; a tick at 60 Hz has 16.7 ms}" textcolor rgb '#333333'
set xlabel 'tick'
set ylabel 'milliseconds'
set xrange [1200:1800]
set yrange [0:*]
of(value) = column(2) == 0 ? value / 1000 : NaN
plot 'rollback.csv' using 1:(of($3 + $4 + $5)) skip 1 with impulses lw 1.5 lc rgb '#e8a066' \
         title 'frames that are played again', \
     '' using 1:(of($3 + $4)) skip 1 with impulses lw 1.5 lc rgb '#d55e00' title 'rewind', \
     '' using 1:(of($3)) skip 1 with impulses lw 1.5 lc rgb '#0072b2' title 'marks'
