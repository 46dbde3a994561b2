#include "observe/static_blas.h"

#include "observe/blas_name.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *bytes;
    size_t size;
} file;

static bool is_inside(const file *f, size_t offset, size_t size)
{
    return offset <= f->size && size <= f->size - offset;
}

static const ElfW(Shdr) * sections(const file *f, size_t *count)
{
    const ElfW(Ehdr) *e = (const void *)f->bytes;
    *count = 0;
    if (f->size < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
        !is_inside(f, e->e_shoff, (size_t)e->e_shnum * sizeof(ElfW(Shdr))))
        return NULL;
    *count = e->e_shnum;
    return (const void *)(f->bytes + e->e_shoff);
}

/* The first BLAS routine that is defined in a symbol table. */
static bool find_in(const file *f, const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
                    char symbol[static 64])
{
    if (!is_inside(f, table->sh_offset, table->sh_size) ||
        !is_inside(f, strings->sh_offset, strings->sh_size))
        return false;
    const ElfW(Sym) *s = (const void *)(f->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *s; i++) {
        if (s[i].st_shndx == SHN_UNDEF || (s[i].st_info & 0xf) != STT_FUNC ||
            s[i].st_name >= strings->sh_size)
            continue;
        const char *name = f->bytes + strings->sh_offset + s[i].st_name;
        if (strnlen(name, 64) < 64 && exb_name_of(name) == EXB_NAME_COVERED) {
            strcpy(symbol, name);
            return true;
        }
    }
    return false;
}

static bool find(const file *f, ElfW(Word) type, char symbol[static 64])
{
    size_t count;
    const ElfW(Shdr) *s = sections(f, &count);
    for (size_t i = 0; i < count; i++)
        if (s[i].sh_type == type && s[i].sh_link < count)
            return find_in(f, &s[i], &s[s[i].sh_link], symbol);
    return false;
}

bool exb_static_blas(const char *path, bool is_program, char symbol[static 64])
{
    struct stat st;
    char exported[64];
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    file f = {MAP_FAILED, 0};
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        f.size = (size_t)st.st_size;
        f.bytes = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (f.bytes == MAP_FAILED)
        return false;
    found = find(&f, SHT_SYMTAB, symbol) && (is_program || !find(&f, SHT_DYNSYM, exported));
    munmap((void *)(uintptr_t)f.bytes, f.size);
    return found;
}
