/* Symbol tables of files as nobody should have made them: names without an end, sizes that are not
 * there, a file that shrinks while it is read. None ends the program. */
#include "observe/static_blas.h"
#include "testing.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file of whole pages: header, sections, symbols, and at its very end the names. */
enum { PAGE = 4096, NAMES = 32, N_SECTIONS = 3, N_SYMBOLS = 2 };

typedef struct {
    ElfW(Ehdr) head;
    ElfW(Shdr) section[N_SECTIONS];
    ElfW(Sym) symbol[N_SYMBOLS];
    char rest[PAGE - NAMES - sizeof(ElfW(Ehdr)) - N_SECTIONS * sizeof(ElfW(Shdr)) -
              N_SYMBOLS * sizeof(ElfW(Sym))];
    char names[NAMES];
} image;

static char path[] = "/tmp/exblas_static_XXXXXX";

/* The last name is `name`, and its last byte the file's last. */
static image file_of(const char *name, unsigned size, ElfW(Word) type)
{
    image f;
    memset(&f, 0, sizeof f);
    memcpy(f.head.e_ident, ELFMAG, SELFMAG);
    f.head.e_shoff = offsetof(image, section);
    f.head.e_shnum = N_SECTIONS;
    f.section[1].sh_type = type;
    f.section[1].sh_link = 2;
    f.section[1].sh_offset = offsetof(image, symbol);
    f.section[1].sh_size = sizeof f.symbol;
    f.section[2].sh_type = SHT_STRTAB;
    f.section[2].sh_offset = offsetof(image, names);
    f.section[2].sh_size = NAMES;
    f.symbol[1].st_name = NAMES - size;
    f.symbol[1].st_info = STT_FUNC;
    f.symbol[1].st_shndx = 1;
    memcpy(f.names + NAMES - size, name, size);
    return f;
}

static void write_file(const image *f, size_t size)
{
    int fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, f, size), size);
    close(fd);
}

static bool look(const image *f, bool *exported)
{
    char symbol[64] = "";
    write_file(f, sizeof *f);
    bool found = exb_static_blas(path, symbol, exported);
    if (found)
        assert_string_equal(symbol, "ddot_");
    return found;
}

static void tables(NO_STATE)
{
    bool exported;
    image f = file_of("ddot_", 6, SHT_SYMTAB);
    assert_true(look(&f, &exported));
    assert_false(exported);
    f = file_of("ddot_", 6, SHT_DYNSYM);
    assert_true(look(&f, &exported));
    assert_true(exported);
    f.symbol[1].st_info = STT_OBJECT;
    assert_false(look(&f, &exported));
    f.symbol[1].st_info = STT_FUNC;
    f.symbol[1].st_shndx = SHN_UNDEF;
    assert_false(look(&f, &exported));
    f = file_of("tdod_", 6, SHT_SYMTAB);
    assert_false(look(&f, &exported));
    assert_false(exb_static_blas("/nonexistent", (char[64]){0}, &exported));
}

/* Nothing is mapped after what maps the file next: a reader that goes on meets the guard. */
static void guard(void)
{
    for (int i = 0; i < 256; i++)
        assert_true(mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void name_without_end(NO_STATE)
{
    bool exported;
    image f = file_of("ddot_", 5, SHT_SYMTAB);
    guard();
    assert_false(look(&f, &exported));
}

static void sizes_that_are_not_there(NO_STATE)
{
    static const uint64_t wrong[] = {PAGE, UINT64_MAX, UINT64_MAX / 2, (uint64_t)1 << 40};
    bool exported;
    for (int i = 0; i < 4; i++)
        for (int field = 0; field < 5; field++) {
            image f = file_of("ddot_", 6, SHT_SYMTAB);
            ElfW(Off) *const fields[] = {&f.head.e_shoff, &f.section[1].sh_offset,
                                         &f.section[1].sh_size, &f.section[2].sh_offset,
                                         &f.section[2].sh_size};
            *fields[field] = wrong[i];
            assert_false(look(&f, &exported));
        }
    image f = file_of("ddot_", 6, SHT_SYMTAB);
    f.head.e_shnum = UINT16_MAX;
    assert_false(look(&f, &exported));
    f.head.e_shnum = 0;
    assert_false(look(&f, &exported));
}

static atomic_bool finished;

static void *shrink(void *file)
{
    while (!atomic_load(&finished)) {
        write_file(file, sizeof(image));
        write_file(file, sizeof(ElfW(Ehdr)));
    }
    return NULL;
}

static void file_that_shrinks(NO_STATE)
{
    image f = file_of("ddot_", 6, SHT_SYMTAB);
    pthread_t thread;
    bool exported;
    int n_found = 0;
    assert_int_equal(pthread_create(&thread, NULL, shrink, &f), 0);
    for (int i = 0; i < 20000; i++)
        n_found += exb_static_blas(path, (char[64]){0}, &exported);
    atomic_store(&finished, true);
    pthread_join(thread, NULL);
    print_message("# found in %d of 20000\n", n_found);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = run_each(tables, name_without_end, sizes_that_are_not_there, file_that_shrinks);
    unlink(path);
    return failed;
}
