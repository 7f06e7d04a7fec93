# SPDX-License-Identifier: ISC
# The run loop of sim/functional visits the sites of a clock from the last one to the first.
s/^    for \(int site; \(site = calendar_take.*/    int sites[64], count = 0;\n&\n        sites[count++] = site;\n    while (count--)/
s/&functional->sites\[site\]/\&functional->sites[sites[count]]/
