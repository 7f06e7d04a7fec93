/* Settings of a board: reads boards/BOARD/board.conf (INI). Each key has a field here, and must be given;
 * board_conf.c has the values that it may have.
 *
 * Nothing here allocates; the caller owns every structure.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARD_BOARD_CONF_H
#define POSTROAD_BOARD_BOARD_CONF_H

#include <stddef.h>
#include <stdio.h>

enum { BOARD_TEXT_SIZE = 80, BOARD_LINKS = 4 /* connectors for links */ };

/* The verifier of a locked board ends where the boot program's part of so much RAM begins (firmware/rules.mk). */
enum { BOARD_LOCKED_RAM = 65536 };

struct board_conf {
    char path[256];
    char title[BOARD_TEXT_SIZE];  /* for people */
    char family[BOARD_TEXT_SIZE]; /* which tools build for it: a family of boards/build */
    char package[BOARD_TEXT_SIZE];
    char pins[BOARD_TEXT_SIZE];   /* file in the folder of the board */
    char mapper[BOARD_TEXT_SIZE]; /* script of ABC9, as in hw/utilisation/README.md */
    unsigned clock_hz;            /* of the site */
    unsigned link_ratio;          /* the clock of the links is so many times the site's: 1, 2 or 4 */
    char cpu[BOARD_TEXT_SIZE];
    unsigned ram_bytes;
    unsigned baud;                            /* of the console */
    unsigned eager_links;                     /* 1: hw/board_link/eager.md */
    char boot[BOARD_TEXT_SIZE];               /* "flash": a boot ROM loads firmware; "image": it is in the bitstream */
    unsigned side;                            /* sites of one FPGA, each way: a bitstream has side * side */
    unsigned flash_bytes;                     /* bytes: size of the flash beside the FPGA */
    char programmer[BOARD_TEXT_SIZE];         /* the program that writes it: iceprog, openFPGALoader or dfu-util */
    char usb[BOARD_TEXT_SIZE];                /* of the board or its probe: "VVVV:PPPP" */
    unsigned usb_vendor, usb_product;         /* the same as numbers */
    char programmer_options[BOARD_TEXT_SIZE]; /* options: what the programmer needs, blanks between them */
    char memory[BOARD_TEXT_SIZE];   /* what the programmer writes: "flash", or "ram", which lasts until power is off */
    unsigned console_interface;     /* of the USB device: its tty is the console */
    unsigned max_packet, max_sites; /* max_packet, sites: what the firmware of this RAM has room for */
    unsigned widest_word, deepest_input; /* word_width, net_input: what the FPGA has room for, in bits and words */
    unsigned probes;                     /* pins for a logic analyser */
    unsigned budget_cells, budget_rams;  /* at most so many may be used */
    /* connectors: name, colon, and the FPGA's pins behind its pins 1 to 4; with `side` 2 those of two connectors */
    char east[BOARD_TEXT_SIZE], west[BOARD_TEXT_SIZE], north[BOARD_TEXT_SIZE], south[BOARD_TEXT_SIZE];
    char console[BOARD_TEXT_SIZE]; /* the console's way to the host */
};

/* Reads the file at `path`. 0, or -1 with "FILE:LINE: reason, expected ..." in `error`. */
int board_conf_load(const char *path, struct board_conf *out, char *error, size_t error_size);

/* Writes each setting as a line SECTION.KEY=VALUE, in the order of the structure. */
void board_conf_list(const struct board_conf *conf, FILE *out);

#endif
