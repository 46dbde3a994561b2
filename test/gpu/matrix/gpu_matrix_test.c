/* gemv, trsv and gemm on the device: the bits of the case files and of the CPU's routines, for all
 * methods, sizes of groups and layouts. Run with the name of a routine, or with none for what is
 * common to all. */
#include "gpu/gpu_testing.h"
#include "matrix_job.h"
#include "test_random.h"
#include "vector_reader.h"

static const char *tested; /* "dgemv" */

static blas_op op_of(const char *name)
{
    return strcmp(name + 1, "gemv") == 0   ? OP_GEMV
           : strcmp(name + 1, "trsv") == 0 ? OP_TRSV
                                           : OP_GEMM;
}

static void set_group(int size)
{
    gpu_ok(exblas_cl_set_param(gpu_queue(), tested, "group", size));
}

static void describe(const blas_case *c, const char *method, int group, const char *label)
{
    char text[160];
    blas_case_text(c, text);
    print_error("%s, method %s, group %d: %s\n", text, method, group, label);
}

/* The case on the device has the CPU's bits, and those of `answer` if there is one. */
static bool check(const blas_case *c, const job_layout *l, const double *answer)
{
    matrix_job j = matrix_job_make(c, l);
    void *expected = matrix_job_expected(&j), *computed = matrix_job_computed(&j, gpu_queue());
    bool same = memcmp(expected, computed, j.out.bytes) == 0;
    int64_t rows = c->op == OP_GEMV ? blas_y_length(c) : c->op == OP_TRSV ? c->n : c->m;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < (c->op == OP_GEMM ? c->n : 1); k++) {
            double x = matrix_job_result(&j, computed, i, k);
            double y = answer ? answer[k * rows + i] : matrix_job_result(&j, expected, i, k);
            if (same_bits(x, y))
                continue;
            print_error("element (%ld, %ld) is %a, not %a\n", (long)i, (long)k, x, y);
            same = false;
        }
    free(expected);
    free(computed);
    matrix_job_free(&j);
    return same;
}

static void to_case(const vector_case *v, blas_case *c)
{
    *c = (blas_case){
        .op = op_of(v->routine->name), .type = v->routine->type, .n = vector_int(v, "n")};
    c->a = vector_operand(v, 'a');
    c->transa = vector_letter(v, c->op == OP_GEMM ? "transa" : "trans");
    if (c->op == OP_TRSV) {
        c->uplo = vector_letter(v, "uplo");
        c->diag = vector_letter(v, "diag");
        c->x = vector_operand(v, 'x');
        return;
    }
    c->m = vector_int(v, "m");
    c->alpha = vector_number(v, "alpha");
    c->beta = vector_number(v, "beta");
    if (c->op == OP_GEMM) {
        c->transb = vector_letter(v, "transb");
        c->k = vector_int(v, "k");
        c->b = vector_operand(v, 'b');
        c->c = vector_operand(v, 'c');
    } else {
        c->x = vector_operand(v, 'x');
        c->y = vector_operand(v, 'y');
    }
}

static const job_layout layouts[] = {
    {false, 1, 1, 0, 0}, {true, 2, -3, 3, 5}, {false, -1, 2, 1, 1}, {true, -2, 1, 0, 2}};
enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };

static vector_file *read_vectors(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s/level23.txt", getenv("TEST_VECTORS"));
    vector_file *f = vector_file_read(path);
    assert_non_null(f);
    return f;
}

/* All cases of the routine with one method and size of group. */
static size_t run_vectors(const vector_file *f, const char *method, int group, size_t turn)
{
    size_t n = 0, wrong = 0;
    set_group(group);
    gpu_ok(exblas_set_method(method));
    for (size_t i = 0; i < f->n_cases && wrong < 5; i++) {
        const vector_case *v = &f->cases[i];
        blas_case c;
        if (strcmp(v->routine->name, tested) != 0)
            continue;
        to_case(v, &c);
        n++;
        if (check(&c, &layouts[(i + turn) % N_LAYOUTS], v->answer.value))
            continue;
        describe(&c, method, group, v->name);
        print_error("%s:%d\n", v->file, v->line);
        wrong++;
    }
    assert_true(n > 0);
    return wrong;
}

/* The case file with and without a filter in groups of all sizes. */
static void vectors(void **state)
{
    vector_file *f = read_vectors();
    size_t wrong = 0;
    (void)state;
    for (int i = 0; i < 2 * GPU_N_GROUPS && wrong == 0; i++)
        wrong += run_vectors(f, gpu_methods[i % 2], gpu_groups[i / 2], (size_t)i);
    vector_file_free(f);
    assert_int_equal(wrong, 0);
}

enum { TINY = 24, TINY_HALF = TINY / 2 };

static double near_power(test_random *r, int exp2)
{
    return random_number(r, FORMAT_D, exp2 - (int)random_between(r, 0, 2));
}

/* Factors near 2^exp2. Of trsv the first unknowns are those of the vector, the others, zeros
 * there, are sums of products with these. */
static void fill_tiny(test_random *r, int exp2, bool solves, double *a, double *x)
{
    for (int j = 0; j < TINY * TINY; j++)
        a[j] = solves && (j % TINY < TINY_HALF || j / TINY >= TINY_HALF) ? 0 : near_power(r, exp2);
    for (int j = 0; j < TINY; j++)
        x[j] = solves && j >= TINY_HALF ? 0 : near_power(r, exp2);
}

/* Nothing but products below the range of two_prod, whose lost bits no computed number shows. */
static void tiny_products(void **state)
{
    static const int exponents[] = {-484, -500, -517, -530};
    static double a[TINY * TINY], x[TINY], zeros[TINY * TINY];
    test_random r = test_random_start(test_seed(), "tiny products");
    blas_case c = {.op = op_of(tested), .type = 'd', .m = TINY, .n = TINY, .k = TINY, .alpha = 1};
    (void)state;
    if (tested[0] == 's')
        return; /* products of floats are doubles */
    c.transa = c.transb = 'n';
    c.uplo = 'l';
    c.diag = 'u';
    c.a = c.b = a;
    c.x = x;
    c.y = c.c = zeros;
    gpu_ok(exblas_set_method("auto"));
    for (int i = 0; i < GPU_N_GROUPS * 4; i++) {
        fill_tiny(&r, exponents[i % 4], c.op == OP_TRSV, a, x);
        set_group(gpu_groups[i / 4]);
        if (check(&c, &layouts[i % N_LAYOUTS], NULL))
            continue;
        describe(&c, "auto", gpu_groups[i / 4], "tiny products");
        fail_msg("seed %llu", (unsigned long long)test_seed());
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(tiny_products),
    };
    tested = argc > 1 ? argv[1] : "dgemv";
    return gpu_run(tests);
}
