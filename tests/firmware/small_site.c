/* See small_site.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include "small_site.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* environment: SMALL_OBJECTS: the folder of the shared objects */
static void object_path(char *path, size_t size, const char *name)
{
    const char *folder = getenv("SMALL_OBJECTS");
    snprintf(path, size, "%s/small-%s.so", folder ? folder : "build/tests/firmware", name);
}

/* The loader takes a file that it has already for the same object: each site gets a file of its own. */
struct small_site small_site_load(const char *name)
{
    char path[512], copy[512];
    const char *scratch = getenv("TMPDIR");
    struct small_site site;
    struct stat status;
    int from, to;
    object_path(path, sizeof path, name);
    snprintf(copy, sizeof copy, "%s/small.XXXXXX", scratch ? scratch : "/tmp");
    from = open(path, O_RDONLY);
    to = mkstemp(copy);
    CHECK(from >= 0 && to >= 0 && fstat(from, &status) == 0);
    for (off_t at = 0; at < status.st_size;)
        CHECK(sendfile(to, from, &at, (size_t)(status.st_size - at)) > 0);
    close(from);
    close(to);
    site.object = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    if (!site.object)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(site.object != NULL);
    site.functions = dlsym(site.object, "small_functions");
    CHECK(site.functions != NULL);
    return site;
}

void small_site_unload(struct small_site *site)
{
    CHECK_EQUAL(dlclose(site->object), 0);
}
