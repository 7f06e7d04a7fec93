// Turns covers into assertions that fail when they are reached, for a model checker that knows no covers (techmap).
// SPDX-License-Identifier: ISC
module \$cover (input A, input EN);
    \$assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));
endmodule
