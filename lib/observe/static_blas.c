/* Systems: linux. The file is read, not mapped: one that shrinks under a mapping would end the
 * program. */
#include "observe/static_blas.h"

#include "observe/blas_name.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table that is larger is not looked at. */
static const size_t most_bytes = (size_t)1 << 28;

/* Part of the file in memory that is to be freed; NULL if it is not there in full. */
static void *read_part(int fd, uint64_t offset, uint64_t size)
{
    char *bytes =
        size > 0 && size <= most_bytes && offset <= INT64_MAX - size ? malloc(size) : NULL;
    for (size_t done = 0; bytes && done < size;) {
        ssize_t n = pread(fd, bytes + done, size - done, (off_t)(offset + done));
        if (n <= 0) {
            free(bytes);
            return NULL;
        }
        done += (size_t)n;
    }
    return bytes;
}

/* The first BLAS routine that is defined in a symbol table. */
static bool find_in(const ElfW(Sym) * s, size_t count, const char *strings, size_t size,
                    char symbol[static 64])
{
    for (size_t i = 0; i < count; i++) {
        if (s[i].st_shndx == SHN_UNDEF || (s[i].st_info & 0xf) != STT_FUNC || s[i].st_name >= size)
            continue;
        const char *name = strings + s[i].st_name;
        size_t room = size - s[i].st_name < 64 ? size - s[i].st_name : 64;
        if (strnlen(name, room) < room && exb_name_of(name) == EXB_NAME_COVERED) {
            strcpy(symbol, name);
            return true;
        }
    }
    return false;
}

static bool find_section(int fd, const ElfW(Shdr) * section, size_t count, ElfW(Word) type,
                         char symbol[static 64])
{
    const ElfW(Shdr) *table = section;
    while (table < section + count && (table->sh_type != type || table->sh_link >= count))
        table++;
    if (table == section + count)
        return false;
    const ElfW(Shdr) *names = &section[table->sh_link];
    ElfW(Sym) *symbols = read_part(fd, table->sh_offset, table->sh_size);
    char *strings = read_part(fd, names->sh_offset, names->sh_size);
    bool found =
        symbols && strings &&
        find_in(symbols, table->sh_size / sizeof *symbols, strings, names->sh_size, symbol);
    free(symbols);
    free(strings);
    return found;
}

static ElfW(Shdr) * read_sections(int fd, size_t *count)
{
    ElfW(Ehdr) *e = read_part(fd, 0, sizeof *e);
    ElfW(Shdr) *s = NULL;
    if (e && memcmp(e->e_ident, ELFMAG, SELFMAG) == 0) {
        *count = e->e_shnum;
        s = read_part(fd, e->e_shoff, *count * sizeof *s);
    }
    free(e);
    return s;
}

bool exb_static_blas(const char *path, char symbol[static 64], bool *exported)
{
    size_t count = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ElfW(Shdr) *s = read_sections(fd, &count);
    *exported = s && find_section(fd, s, count, SHT_DYNSYM, symbol);
    bool found = *exported || (s && find_section(fd, s, count, SHT_SYMTAB, symbol));
    free(s);
    close(fd);
    return found;
}
