#include "every_case.h"

#include "core/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- arguments ----------------------------------------------------------- */

static bool is(const exb_argument *a, const char *name)
{
    return strcmp(a->name, name) == 0;
}

static bool begins(const exb_argument *a, const char *name)
{
    return strncmp(a->name, name, strlen(name)) == 0;
}

static bool is_complex(const exb_routine *r)
{
    return r->type == 'c' || r->type == 'z';
}

static bool is_hermitian_update(const exb_routine *r)
{
    return strstr(r->name, "her") != NULL;
}

/* Complex symmetric updates have no conjugate transpose, Hermitian ones no other. */
static int transpose_of(const exb_routine *r, int choice)
{
    bool is_update = strstr(r->name, "rk") || strstr(r->name, "r2k");
    if (choice == 0)
        return EXB_NO_TRANS;
    if (is_update && is_complex(r))
        return is_hermitian_update(r) ? EXB_CONJ_TRANS : EXB_TRANS;
    return choice == 1 ? EXB_TRANS : EXB_CONJ_TRANS;
}

/* imatcopy, here with one shape before and after. */
static bool is_in_place(const exb_routine *r)
{
    return strstr(r->name, "imatcopy") != NULL;
}

static int option_of(const exb_routine *r, const exb_argument *a, int options)
{
    int bit = options >> 1;
    if (is(a, "layout") || is(a, "order"))
        return options & 1 ? EXB_ROW_MAJOR : EXB_COL_MAJOR;
    if (is(a, "op"))
        return is_in_place(r) ? (bit & 1 ? EXB_NO_TRANS : EXB_CONJ_NO_TRANS)
                              : EXB_NO_TRANS + options % 4;
    if (is(a, "uplo"))
        return bit & 1 ? EXB_UPPER : EXB_LOWER;
    if (is(a, "side"))
        return bit & 2 ? EXB_LEFT : EXB_RIGHT;
    if (is(a, "diag"))
        return options % 3 ? EXB_NON_UNIT : EXB_UNIT;
    return transpose_of(r, is(a, "transb") ? options / 3 % 3 : options % 3);
}

/* m, n, k, kl, ku, batch; EVERY_LARGE is for what needs working memory. */
static int64_t dimension_of(const exb_argument *a, int size, int zero)
{
    static const char *const name[EVERY_DIMENSIONS] = {"m", "n", "k", "batch"};
    static const int64_t m[] = {1, 7, 19, 34, 3, 70}, n[] = {1, 5, 23, 16, 40, 67},
                         k[] = {1, 3, 17, 65, 2, 90};
    for (int i = 0; i < EVERY_DIMENSIONS; i++)
        if (zero >> i & 1 && is(a, name[i]))
            return 0;
    if (is(a, "batch"))
        return 2;
    if (is(a, "kl") || is(a, "ku"))
        return size % 3 + (is(a, "ku") ? 1 : 0);
    return is(a, "m") ? m[size] : is(a, "n") ? n[size] : k[size];
}

static int64_t increment_of(const exb_argument *a, int increment)
{
    static const int64_t x[] = {1, 2, -1, -3, 5}, y[] = {1, -2, 3, -1, 1};
    return is(a, "incx") ? x[increment] : y[increment];
}

/* --- sizes of arrays ----------------------------------------------------- */

static int64_t number(const every_case *c, int index, int64_t otherwise)
{
    return index < 0 ? otherwise : c->value[index].i;
}

static bool is_swapped(const every_case *c, const exb_argument *a)
{
    int64_t option = number(c, a->swap, 0);
    return option == EXB_TRANS || option == EXB_CONJ_TRANS || option == EXB_RIGHT;
}

/* Lines that are `step` apart and the elements of each: columns, or rows if they come first. */
static void lines_of(const every_case *c, const exb_argument *a, int64_t *n_lines, int64_t *length)
{
    bool swapped = is_swapped(c, a);
    int64_t rows = number(c, swapped ? a->columns : a->rows, 1);
    int64_t columns = a->shape == EXB_SHAPE_MATRIX || a->shape == EXB_SHAPE_BAND
                          ? number(c, swapped ? a->rows : a->columns, 1)
                          : rows;
    bool by_rows = number(c, c->routine->layout, EXB_COL_MAJOR) == EXB_ROW_MAJOR;
    *n_lines = by_rows ? rows : columns;
    *length = by_rows ? columns : rows;
    if (a->shape == EXB_SHAPE_BAND || a->shape == EXB_SHAPE_TRIANGLE_BAND)
        *length = number(c, a->lower, 0) + number(c, a->upper, 0) + 1;
}

static int64_t one_matrix(const every_case *c, const exb_argument *a)
{
    int64_t n_lines, length;
    lines_of(c, a, &n_lines, &length);
    return (n_lines - 1) * number(c, a->step, 1) + length;
}

static bool is_empty(const every_case *c, const exb_argument *a)
{
    return number(c, a->rows, 1) == 0 || number(c, a->columns, 1) == 0 ||
           number(c, c->routine->batch, 1) == 0;
}

static int64_t elements_of(const every_case *c, const exb_argument *a)
{
    if (is_empty(c, a))
        return 0;
    int64_t n = number(c, is_swapped(c, a) ? a->columns : a->rows, 1), step = number(c, a->step, 1);
    switch (a->shape) {
    case EXB_SHAPE_VECTOR:
        return (n - 1) * llabs(step) + 1;
    case EXB_SHAPE_PACKED:
        return n * (n + 1) / 2;
    case EXB_SHAPE_FEW:
        return is(a, "param") ? 5 : a->few; /* of which rotmg writes some */
    default:
        return one_matrix(c, a) + (number(c, c->routine->batch, 1) - 1) * number(c, a->stride, 0);
    }
}

/* Leading dimensions and strides are least ones and some padding, of each argument another: numbers
 * that follow from the array they belong to. */
static void set_steps(every_case *c, int increment)
{
    const exb_routine *r = c->routine;
    for (int i = 0; i < r->n_arguments; i++) {
        const exb_argument *a = &r->argument[i];
        int64_t n_lines, length;
        if (a->kind != EXB_ARG_ARRAY || a->step < 0 || a->shape == EXB_SHAPE_VECTOR)
            continue;
        lines_of(c, a, &n_lines, &length);
        c->value[a->step].i = (length ? length : 1) + (i + 1) * increment;
        if (a->stride >= 0)
            c->value[a->stride].i = (n_lines ? one_matrix(c, a) : 0) + increment;
        if (is_in_place(r))
            c->value[a->step + 1].i = c->value[a->step].i;
    }
}

/* --- memory -------------------------------------------------------------- */

static bool is_half(char type)
{
    return type == 'b' || type == 'h';
}

static size_t real_size(const exb_routine *r)
{
    return is_half(r->type)                   ? sizeof(uint16_t)
           : r->type == 's' || r->type == 'c' ? sizeof(float)
                                              : sizeof(double);
}

static size_t element_size(const exb_routine *r, const exb_argument *a)
{
    return a->half ? sizeof(uint16_t) : real_size(r) * (is_complex(r) && !a->is_real ? 2 : 1);
}

static every_array array_of(size_t n_bytes, size_t offset, bool at_start)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t inner = (n_bytes + offset + page - 1) / page * page;
    every_array m = {.n_mapped = inner + 2 * page, .n_bytes = n_bytes};
    m.pages = mmap(NULL, m.n_mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m.pages == MAP_FAILED)
        abort();
    unsigned char *first = (unsigned char *)m.pages + page;
    if (mprotect(first, inner, PROT_READ | PROT_WRITE))
        abort();
    m.data = at_start ? first + offset : first + inner - n_bytes - offset;
    return m;
}

/* --- data ---------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

/* Bits, not numbers: the environment may be any. Moderate: exponents around 1, few bits, so
 * that sums cancel and end in ties. Else subnormal, tiny, huge numbers, and rarely Inf or NaN. */
static uint64_t number_bits(uint64_t seed, int data, int bias, int width)
{
    uint64_t h = mixed(seed + 1), sign = h & 1, m = h >> 40;
    int kind = (int)(h >> 8 & 31);
    uint64_t exponent = (uint64_t)(bias - 2 + (int)(h >> 16 & 3));
    uint64_t fraction = kind & 1 ? (m & 7) << (width - 3) : m & ((UINT64_C(1) << width) - 1);
    if (data && kind < 4)
        exponent = 0; /* subnormal */
    else if (data && kind < 8)
        exponent = (uint64_t)(2 * bias - 1 - kind);
    else if (data && kind < 12)
        exponent = (uint64_t)(bias / 2 - kind);
    else if (data && kind == 12 && (h >> 20 & 15) == 0)
        exponent = (uint64_t)(2 * bias + 1);
    uint64_t bits = exponent << width | fraction;
    return bits | sign << (width <= 10 ? 15 : width == 23 ? 31 : 63);
}

static void put_real(unsigned char *at, uint64_t bits, size_t size)
{
    uint32_t low = (uint32_t)bits;
    uint16_t lowest = (uint16_t)bits;
    memcpy(at, size == 2 ? (void *)&lowest : size == 4 ? (void *)&low : (void *)&bits, size);
}

static void fill_reals(char type, void *p, size_t n, uint64_t seed, int data)
{
    size_t size = is_half(type) ? 2 : type == 's' || type == 'c' ? 4 : 8;
    int bias = type == 'h' ? 15 : size <= 4 ? 127 : 1023;
    int width = type == 'h' ? 10 : size == 2 ? 7 : size == 4 ? 23 : 52;
    for (size_t i = 0; i < n; i++)
        put_real((unsigned char *)p + i * size, number_bits(seed + i, data, bias, width), size);
}

/* rotm's first parameter says which matrix the others are. */
static void set_flag(const every_case *c, const every_array *m, int options)
{
    static const uint64_t d[] = {0xbff0000000000000, 0, 0x3ff0000000000000, 0xc000000000000000};
    static const uint64_t s[] = {0xbf800000, 0, 0x3f800000, 0xc0000000};
    size_t size = real_size(c->routine);
    put_real(m->data, size == sizeof(float) ? s[options % 4] : d[options % 4], size);
}

void every_case_fill(every_case *c, const every_layout *layout)
{
    const exb_routine *r = c->routine;
    memset(c->result, 0, sizeof c->result);
    for (int i = 0; i < r->n_arguments; i++) {
        const every_array *m = &c->array[i];
        uint64_t seed = (uint64_t)(i + 1) * 100000 + (uint64_t)layout->size;
        if (!m->n_mapped)
            continue;
        char type = r->argument[i].half ? r->argument[i].half : r->type;
        size_t size = r->argument[i].half ? sizeof(uint16_t) : real_size(r);
        fill_reals(type, m->data, m->n_bytes / size, seed, layout->data);
        if (is(&r->argument[i], "param"))
            set_flag(c, m, layout->options);
    }
}

/* --- cases --------------------------------------------------------------- */

static void set_numbers(every_case *c, const every_layout *q)
{
    const exb_routine *r = c->routine;
    for (int i = 0; i < r->n_arguments; i++) {
        const exb_argument *a = &r->argument[i];
        if (a->kind == EXB_ARG_OPTION)
            c->value[i].i = option_of(r, a, q->options);
        else if (a->kind == EXB_ARG_INTEGER)
            c->value[i].i = begins(a, "inc") ? increment_of(a, q->increment)
                                             : dimension_of(a, q->size, q->zero);
        else if (a->kind == EXB_ARG_SCALAR) {
            fill_reals(r->type, c->scalar[i], 2, 77 + (uint64_t)i, 0);
            c->value[i].p = c->scalar[i];
        }
    }
    set_steps(c, q->increment);
}

void every_case_init(every_case *c, const exb_routine *routine, const every_layout *layout)
{
    memset(c, 0, sizeof *c);
    c->routine = routine;
    set_numbers(c, layout);
    for (int i = 0; i < routine->n_arguments; i++) {
        const exb_argument *a = &routine->argument[i];
        if (a->kind != EXB_ARG_ARRAY)
            continue;
        if (a->shape == EXB_SHAPE_NONE)
            abort(); /* lib/symbols.list does not describe the array */
        c->array[i] = array_of((size_t)elements_of(c, a) * element_size(routine, a),
                               (size_t)layout->offset * real_size(routine), layout->at_start);
        c->value[i].p = c->array[i].data;
    }
    every_case_fill(c, layout);
}

void every_case_clear(every_case *c)
{
    for (int i = 0; i < c->routine->n_arguments; i++)
        if (c->array[i].n_mapped)
            munmap(c->array[i].pages, c->array[i].n_mapped);
}

bool every_case_has(const every_case *c, const routine_name *name)
{
    return name->form < FORM_FORTRAN ||
           number(c, c->routine->layout, EXB_COL_MAJOR) == EXB_COL_MAJOR;
}

/* Some of Fortran's letters are large ones. */
void every_case_call(every_case *c, const routine_name *name)
{
    routine_call *q = &c->call;
    char *letters[] = {&q->layout, &q->side, &q->uplo, &q->trans, &q->transb, &q->diag};
    q->result = c->result;
    name->take(q, c->value);
    for (int i = 0; i < 6 && name->form >= FORM_FORTRAN; i++)
        if (*letters[i] && strchr("ncur", *letters[i]))
            *letters[i] = (char)(*letters[i] - 'a' + 'A');
    name->run(q);
}

static uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t every_case_hash(const every_case *c)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    int64_t index;
    for (int i = 0; i < c->routine->n_arguments; i++)
        if (c->array[i].n_mapped)
            h = hash_bytes(h, c->array[i].data, c->array[i].n_bytes);
    memcpy(&index, c->result, sizeof index);
    if (c->routine->result != 'i')
        return hash_bytes(h, c->result, sizeof c->result);
    index -= index > 0; /* CBLAS's names say 1 for none, too */
    return hash_bytes(h, &index, sizeof index);
}

uint64_t every_hash(const routine_name *name, const every_layout *layout)
{
    every_case c;
    every_case_init(&c, exb_routines[name->routine], layout);
    bool has = every_case_has(&c, name);
    if (has)
        every_case_call(&c, name);
    uint64_t hash = has ? every_case_hash(&c) : 0;
    every_case_clear(&c);
    return hash;
}

const routine_name *every_name_of(int routine)
{
    const routine_name *name = routine_names;
    while (name->routine != routine || name->form != FORM_CBLAS)
        name++;
    return name;
}
