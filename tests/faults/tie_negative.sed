# rule: U1
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# A torus target half way round goes the negative way.
s/<= \{2'b00, size\}/< {2'b00, size}/
