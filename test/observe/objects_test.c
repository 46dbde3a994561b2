/* The objects of a process, by addresses. */
#include "testing.h"

#include "observe/objects.h"

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

TESTS(neighbours, of_this_process)
