/* See small_site.h. A shared object that is no longer used stays loaded for the next site of its image. To reset it,
 * its variables become what they were when it was loaded.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* dl_iterate_phdr; mkstemp */

#include "small_site.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { OBJECTS_MAX = 64, NAME_MAX_BYTES = 32 };

struct object {
    char name[NAME_MAX_BYTES]; /* of its image */
    void *handle;
    const struct small_functions *functions;
    bool is_used;
    uintptr_t variables, variables_end;
    uint8_t *at_start;
};

static struct object objects[OBJECTS_MAX];
static unsigned object_count;

/* environment: SMALL_OBJECTS: the folder of the shared objects */
static void object_path(char *path, size_t size, const char *name)
{
    const char *folder = getenv("SMALL_OBJECTS");
    snprintf(path, size, "%s/small-%s.so", folder ? folder : "build/tests/firmware", name);
}

/* The loader takes a file that it has already for the same object: each site gets a file of its own. */
static void *load(const char *name)
{
    char path[512], copy[512];
    const char *scratch = getenv("TMPDIR");
    struct stat status;
    void *handle;
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
    handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    if (!handle)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(handle != NULL);
    return handle;
}

static bool lies_in(uintptr_t base, const ElfW(Phdr) * segment, uintptr_t address)
{
    return address >= base + segment->p_vaddr && address < base + segment->p_vaddr + segment->p_memsz;
}

/* Finds the writable segment of the object that has its functions, without what became constant after loading. */
static int find_variables(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;
    uintptr_t constant_end = 0;
    bool found = false;
    (void)size;
    for (unsigned k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[k];
        found |= segment->p_type == PT_LOAD && lies_in(info->dlpi_addr, segment, (uintptr_t)object->functions);
        if (segment->p_type == PT_GNU_RELRO)
            constant_end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W) {
            object->variables = info->dlpi_addr + segment->p_vaddr;
            object->variables_end = object->variables + segment->p_memsz;
        }
    }
    if (found && constant_end > object->variables)
        object->variables = constant_end;
    return found;
}

/* Byte by byte, and not by memcpy: between the variables lies what the address sanitizer guards. */
__attribute__((no_sanitize("address"))) static void copy(volatile uint8_t *to, const volatile uint8_t *from,
                                                         size_t size)
{
    for (size_t k = 0; k < size; k++)
        to[k] = from[k];
}

static struct object *load_object(const char *name)
{
    struct object *object = &objects[object_count++];
    CHECK(object_count <= OBJECTS_MAX && strlen(name) < sizeof object->name);
    snprintf(object->name, sizeof object->name, "%s", name);
    object->handle = load(name);
    object->functions = dlsym(object->handle, "small_functions");
    CHECK(object->functions != NULL && dl_iterate_phdr(find_variables, object) == 1);
    object->at_start = malloc(object->variables_end - object->variables);
    copy(object->at_start, (const uint8_t *)object->variables, object->variables_end - object->variables);
    return object;
}

struct small_site small_site_load(const char *name)
{
    struct object *object = NULL;
    for (unsigned k = 0; k < object_count && !object; k++) {
        if (!objects[k].is_used && strcmp(objects[k].name, name) == 0)
            object = &objects[k];
    }
    if (!object)
        object = load_object(name);
    copy((uint8_t *)object->variables, object->at_start, object->variables_end - object->variables);
    object->is_used = true;
    return (struct small_site){object, object->functions};
}

void small_site_unload(struct small_site *site)
{
    struct object *object = site->object;
    object->is_used = false;
}
