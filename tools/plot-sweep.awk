#!/usr/bin/awk -f
# plot-sweep: the table that `bench blackbox-sweep` prints, as a drawing.
#
#   build/release/bench blackbox-sweep | tools/plot-sweep.awk >docs/version-order.svg
#
# Seconds by logarithm over the share of the version order, a line for each mix. A dot
# that is hollow is a check that ran out of patience. Lines that are no row of the table
# are its title and its head.

function y_of(seconds) {
    return bottom - (log(seconds) / log(10) - lowest) * height / (highest - lowest)
}

function x_of(share) { return left + share * width / 100 }

function floor(x) { return x < int(x) ? int(x) - 1 : int(x) }

function text(x, y, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}

function line(x1, y1, x2, y2) {
    printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#ccc\"/>\n", x1, y1, x2, y2
}

function name_of(decade) {
    return decade >= 0 ? sprintf("%d s", 10 ^ decade) : sprintf("%d ms", 10 ^ (decade + 3) + 0.5)
}

function draw_frame(    decade, share) {
    for (decade = lowest; decade <= highest; decade++) {
        line(left, y_of(10 ^ decade), left + width, y_of(10 ^ decade))
        if (decade >= -3) text(left - 6, y_of(10 ^ decade) + 4, "end", name_of(decade))
    }
    for (share = 0; share <= 100; share += 10) {
        line(x_of(share), bottom, x_of(share), bottom - height)
        text(x_of(share), bottom + 18, "middle", share "%")
    }
    text(left + width / 2, bottom + 38, "middle", "share of the version order that is given")
    text(left, 22, "start", title)
}

function draw_mix(mix,    row, path) {
    for (row = 1; row <= rows; row++)
        path = path (row == 1 ? "M" : "L") \
               sprintf("%.1f %.1f", x_of(share_at[row]), y_of(seconds_at[row, mix]))
    printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", path, colour[mix]
    for (row = 1; row <= rows; row++)
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" stroke=\"%s\"/>\n", \
               x_of(share_at[row]), y_of(seconds_at[row, mix]), \
               hollow[row, mix] ? "#fff" : colour[mix], colour[mix]
    printf "<path d=\"M%d %dh24\" stroke=\"%s\" stroke-width=\"2\"/>\n", \
           left + width - 90, 44 + 18 * mix, colour[mix]
    text(left + width - 60, 48 + 18 * mix, "start", name[mix])
}

/transactions,/ { sub(/^ +/, ""); title = $0 }

$1 == "share" { mixes = 3; for (i = 1; i <= mixes; i++) name[i] = $(i + 1) }

$1 ~ /^[0-9]+%$/ {
    share_at[++rows] = $1 + 0
    gsub(/[?!]/, " &")
    for (i = mix = 1; mix <= mixes; mix++) {
        seconds_at[rows, mix] = $(++i) + 0
        if ($(i + 1) ~ /^[?!]$/) { hollow[rows, mix] = 1; i++ }
        decade = floor(log(seconds_at[rows, mix]) / log(10))
        if (lowest == "" || decade < lowest) lowest = decade
        if (highest == "" || decade + 1 > highest) highest = decade + 1
    }
}

END {
    if (rows == 0) { print "plot-sweep: no table on standard input" >"/dev/stderr"; exit 1 }
    left = 70; width = 640; height = 300; bottom = 370
    split("#0058ad #ac6e00 #a50053", colour, " ")
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"740\" height=\"420\" " \
           "font-family=\"sans-serif\" font-size=\"12\">\n"
    print "<rect width=\"740\" height=\"420\" fill=\"#fff\"/>"
    draw_frame()
    for (mix = 1; mix <= mixes; mix++) draw_mix(mix)
    print "</svg>"
}
