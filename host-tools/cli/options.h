/* Options of the verbs, from tables of rows. Each verb owns its rows and the struct that they fill, in its own file.
 * Rows that several verbs share are in options.c. One set of rows gives the parser, --help, the completion, the manual
 * page and the reference tables (cli/documents.h).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_OPTIONS_H
#define POSTROAD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/exit_code.h"

enum { OPTION_LIST_MAX = 32, OPERAND_WORDS = 2, OPTION_HELP_SIZE = 512 };

enum option_kind {
    OPTION_FLAG,             /* bool */
    OPTION_TEXT,             /* const char *, points into argv; not empty where the row has `expected` */
    OPTION_LIST,             /* struct option_list */
    OPTION_NUMBER,           /* an integer of 4 or 8 bytes, in any base of C */
    OPTION_SECONDS,          /* double; more than 0 if the row has a minimum */
    OPTION_SECONDS_OPTIONAL, /* double; without an argument the row's `otherwise` */
    OPTION_READ              /* the row's function reads it */
};

/* The file that an option names. Those that would be written are compared with each other and with those that are read,
 * operands among them, before the verb runs: no result replaces an input or another result (output_file_claim). */
enum option_file {
    FILE_NONE,
    FILE_READ,
    FILE_WRITTEN,          /* "-" is none */
    FILE_WRITTEN_SETTINGS, /* FILE[,SETTING]... */
    FILE_WRITTEN_PREFIX    /* PREFIX with each of the row's `endings` */
};

/* The values of an option that may be given often. */
struct option_list {
    size_t count;
    const char *items[OPTION_LIST_MAX];
};

struct option_row {
    const char *name;
    char letter; /* 0: long only */
    enum option_kind kind;
    const char *argument; /* its name in texts; NULL for flags */
    size_t offset, size;  /* of the field in the verb's struct: OPTION_FIELD */
    long minimum, maximum;
    bool (*read)(const char *text, void *options); /* OPTION_READ: options is the verb's struct; false: refused */
    const char *expected;                          /* what a refused value should have been; NULL: by kind */
    enum option_file file;
    const char *const *endings; /* FILE_WRITTEN_PREFIX; ends with NULL */
    bool any_bytes;             /* data of packets: control characters, too */
    const char *words;          /* completion: values, or @file, @mesh-file, @image, @up (names of meshes), @endpoint */
    const char *initial;        /* the default, as a user would type it: it is read before the command line is */
    const char *otherwise;      /* the default in words, where no constant is one; NULL: nothing to say */
    const char *help;           /* one line of --help, without the default */
    const char *manual;         /* for the manual page, in the markup of documents.h; NULL: help */
};

/* Seconds in which a node has to answer, unless --timeout says something else. A verb for which it means something else
 * has a row `timeout` of its own. */
#define OPTION_ANSWER_TIME 10
#define OPTION_TIMEOUT                                                               \
    .name = "timeout", .letter = 't', .kind = OPTION_SECONDS, .argument = "SECONDS", \
    OPTION_FIELD(struct options, timeout)

/* A numeric constant as the text of a default. */
#define OPTION_CONSTANT(number) OPTION_TEXT_OF(number)
#define OPTION_TEXT_OF(number)  #number

#define OPTION_FIELD(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)

/* Rows that several verbs have. --help and --version belong to every verb. */
enum common_options {
    COMMON_NAME = 1,
    COMMON_GATEWAY = 2,
    COMMON_FROM = 4,
    COMMON_TIMEOUT = 8,
    COMMON_JSON = 16,
    COMMON_QUIET = 32,
    COMMON_VERBOSE = 64,
    COMMON_OUTPUT = COMMON_JSON | COMMON_QUIET,
    COMMON_TALK = COMMON_GATEWAY | COMMON_TIMEOUT | COMMON_OUTPUT, /* to a node */
    COMMON_ASK = COMMON_TALK | COMMON_FROM                         /* through one node, the others */
};

/* An option as it was given; a flag has the value "yes", which options_assign takes. */
struct option_given {
    const struct option_row *row;
    const char *value;
};

/* The fields of the common rows: the first member of every verb's struct. */
struct options {
    const char *verb;
    const char *name;    /* of a mesh, or NULL */
    const char *gateway; /* NULL: $POSTROAD_GATEWAY, or the only mesh that is up */
    const char *from;    /* the site that gets the requests, and sends; NULL: 0 */
    double timeout;      /* seconds; negative: not given, and no default */
    bool json, quiet, verbose;
    char **operands; /* the operands behind the options; points into argv */
    int operand_count;
    struct option_given *given; /* all options, in their order, while the verb runs */
    size_t given_count;
};

/* A key of a verb's JSON output, for the reference. */
struct json_key {
    const char *path; /* "sites[].round_trip_clocks.min" */
    const char *unit; /* "clocks", "text", "true or false" */
    const char *meaning;
};

struct verb {
    const char *name, *operands, *summary;
    const char *manual; /* its description in the manual page, in the markup of documents.h */
    const char *notes;  /* below the options in --help; NULL: nothing */
    int operands_min, operands_max;
    const char *operand_words[OPERAND_WORDS];  /* completion of the first operand and of the others, as row.words */
    unsigned common;                           /* enum common_options */
    const struct option_row *rows;             /* ends with a row that has no name; NULL: none */
    const struct json_key *keys;               /* ends with a key that has no path; NULL: no --json */
    size_t size;                               /* of the verb's struct */
    const void *defaults;                      /* such a struct, or NULL: zeroes. What the rows' initial does not say */
    int (*run)(const struct options *options); /* the verb's struct; returns the exit code */
};

/* Parses argv[1...] of a verb and runs it. Returns the exit code. Names of options are not abbreviated. */
int options_run(const struct verb *verb, int argc, char **argv);

/* The verb's struct as it is without any option. */
void options_begin(const struct verb *verb, struct options *out);

/* Sets an option of a verb's struct as `--name value` would; a flag takes yes or no. 0, or -1 with a reason. */
int options_assign(const struct verb *verb, struct options *out, const char *name, const char *value, char *error,
                   size_t error_size);

/* The help of a row with its default. */
const char *options_help(const struct option_row *row, char *out, size_t size);

/* The default, as a user would type it or in words; NULL: there is none to name. */
const char *options_default(const struct option_row *row);

/* The verb's rows in the order of --help; NULL behind the last. */
const struct option_row *options_row(const struct verb *verb, size_t index);

/* The rows that several verbs have; NULL behind the last. */
const struct option_row *options_common_row(size_t index);
bool options_is_common(const struct option_row *row);

/* Prints a row of a --help text: the option on the left, its meaning from a fixed column on, in lines of 80 columns; on
 * a narrower terminal in lines of its width. */
void options_print_row(FILE *out, const char *left, int column, const char *meaning);

/* Prints a text of a --help, wrapped like its rows. */
void options_print_text(FILE *out, const char *text, int indent);

/* The option in the spelling of --help, without its letter: --name=ARGUMENT. */
void options_spell(const struct option_row *row, char *out, size_t size);

/* Parses a whole number within limits, in any base of C. False: the text is none; nothing is printed. */
bool options_number(const char *text, long minimum, long maximum, long *out);

#endif
