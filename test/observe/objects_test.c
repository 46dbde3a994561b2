/* The objects of a process, by addresses. */
#include "testing.h"

#include "observe/objects.h"

#include <dlfcn.h>
#include <unistd.h>

enum { MANY = 50 };

/* Where one object ends the next may begin: the end is not its own. */
static void neighbours(NO_STATE)
{
    static char memory[30];
    const uintptr_t at = (uintptr_t)memory;
    exb_object two[] = {{.begin = at, .end = at + 10}, {.begin = at + 10, .end = at + 20}};
    const exb_objects all = {two, 2};
    for (int i = 0; i < 20; i++)
        assert_ptr_equal(exb_objects_at(&all, memory + i), &two[i / 10]);
    assert_null(exb_objects_at(&all, memory + 20));
    assert_null(exb_objects_at(&all, (char *)at - 1));
}

static void of_this_process(NO_STATE)
{
    exb_objects all;
    exb_objects_hold(&all);
    const exb_object *program = exb_objects_at(&all, (void *)(uintptr_t)neighbours),
                     *c = exb_objects_at(&all, (void *)(uintptr_t)malloc);
    assert_non_null(program);
    assert_string_equal(program->path, "");
    assert_non_null(program->handle);
    assert_non_null(c);
    assert_ptr_not_equal(c, program);
    exb_objects_release(&all);
    assert_int_equal(all.count, 0);
}

/* The file of an object, copied: to the loader another one. */
static void *load_copy(const char *file, const char *folder, int number)
{
    char path[64], block[4096];
    size_t n;
    snprintf(path, sizeof path, "%s/%d.so", folder, number);
    FILE *in = fopen(file, "rb"), *out = fopen(path, "wb");
    assert_true(in && out);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        assert_int_equal(fwrite(block, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unlink(path);
    return handle;
}

/* More objects than the first list has room for: that of a test lacks none. */
static void many(NO_STATE)
{
    char folder[] = "/tmp/exblas_objects_XXXXXX";
    void *handle[MANY], *small = dlopen("libutil.so.1", RTLD_NOW);
    struct link_map *map;
    exb_objects before, all;
    if (!small || dlinfo(small, RTLD_DI_LINKMAP, &map) != 0 || !mkdtemp(folder))
        skip();
    exb_objects_hold(&before);
    for (int i = 0; i < MANY; i++)
        assert_non_null(handle[i] = load_copy(map->l_name, folder, i));
    exb_objects_hold(&all);
    assert_int_equal(all.count, before.count + MANY);
    for (int i = 0; i < MANY; i++)
        dlclose(handle[i]);
    exb_objects_release(&all);
    exb_objects_release(&before);
    dlclose(small);
    rmdir(folder);
}

TESTS(neighbours, of_this_process, many)
