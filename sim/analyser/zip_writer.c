/* See zip_writer.h. minizip writes the archive through functions on a stream: its own on FILE, but for opening and
 * closing, which are the caller's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/zip_writer.h"
#include "support/or_abort.h"

#include <minizip/zip.h>
#include <stdlib.h>

/* Higher levels take several times as long for lines that change all the time, and save little. */
enum { LEVEL = 1 };

static voidpf take_stream(voidpf stream, const void *path, int mode)
{
    (void)path;
    (void)mode;
    return stream;
}

static int leave_stream(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

struct zip_writer *zip_writer_create(FILE *file)
{
    zlib_filefunc64_def functions;
    fill_fopen64_filefunc(&functions);
    functions.zopen64_file = take_stream;
    functions.zclose_file = leave_stream;
    functions.opaque = file;
    struct zip_writer *zip = or_abort(zipOpen2_64("", APPEND_STATUS_CREATE, NULL, &functions));
    return zip;
}

void zip_writer_add(struct zip_writer *zip, const char *name, const void *bytes, unsigned length)
{
    /* 1 January 1980, so that the same capture gives the same file. */
    const zip_fileinfo first_day = {.dosDate = 1 << 21 | 1 << 16};
    if (zipOpenNewFileInZip(zip, name, &first_day, NULL, 0, NULL, 0, NULL, Z_DEFLATED, LEVEL) != ZIP_OK)
        return;
    zipWriteInFileInZip(zip, bytes, length);
    zipCloseFileInZip(zip);
}

void zip_writer_finish(struct zip_writer *zip)
{
    zipClose(zip, NULL);
}
