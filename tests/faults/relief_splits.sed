# rule: R2
# file: hw/cutthrough/connection.v
# caught by: router_relief_tb
# In relief a multicast splits all the same.
s/ && !\(relieved && !FROM_LOCAL && patient\)//
