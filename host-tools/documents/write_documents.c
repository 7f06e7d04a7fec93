/* Writes the documents that follow from the tables of the verbs, at build time.
 *
 * usage: write_documents reference >FILE
 *        write_documents fill TEMPLATE >FILE
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/documents.h"
#include "postroad/verbs.h"

#include <stdio.h>
#include <string.h>

static int fill(const char *path)
{
    FILE *template = fopen(path, "r");
    if (!template || !documents_fill(template, stdout, verbs)) {
        fprintf(stderr, "write_documents: %s: cannot be read, or has a part that does not exist\n", path);
        return EXIT_USAGE;
    }
    fclose(template);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    int status = EXIT_OK;
    if (argc == 2 && strcmp(argv[1], "reference") == 0) {
        documents_reference(stdout, verbs);
    } else if (argc == 3 && strcmp(argv[1], "fill") == 0) {
        status = fill(argv[2]);
    } else {
        fprintf(stderr, "usage: write_documents reference | fill TEMPLATE\n");
        return EXIT_USAGE;
    }
    return fflush(stdout) == 0 ? status : EXIT_TRANSPORT;
}
