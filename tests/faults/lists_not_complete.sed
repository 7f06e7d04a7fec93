# rule: U1
# file: hw/cutthrough/direction.v
# caught by: direction_tb
# A hypercube leaves out its highest dimension.
s/cube \&\& minimal_cube\[p-1\]/cube \&\& p < 5/
