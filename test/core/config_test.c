/* Methods, threads, facts, and what environment variables do: each variable is tried
 * in a process of its own (this program, started again with --child). */
#include "testing.h"

#include "core/kernels.h"
#include "core/memory.h"

#include <exblas/exblas.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self;

static void methods(NO_STATE)
{
    static const char *const names[] = {
        "auto", "superacc", "fpe2",   "fpe3",   "fpe4",   "fpe5",   "fpe6",    "fpe7",
        "fpe8", "fpe4ee",   "fpe6ee", "fpe8ee", "filter", "anchor", "residue", "general"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(exblas_set_method(names[i]), EXBLAS_OK);
        assert_string_equal(exblas_get_method(), names[i]);
    }
    assert_int_equal(exblas_set_method("fpe9"), EXBLAS_EINVAL);
    assert_int_equal(exblas_set_method(""), EXBLAS_EINVAL);
    assert_string_equal(exblas_get_method(), "general");
    assert_int_equal(exblas_set_method(NULL), EXBLAS_OK);
    assert_string_equal(exblas_get_method(), "auto");
}

static void threads(NO_STATE)
{
    int standard = exblas_get_num_threads();
    assert_true(standard >= 1);
    exblas_set_num_threads(5);
    assert_int_equal(exblas_get_num_threads(), 5);
    assert_string_equal(exblas_info("threads"), "5");
    exblas_set_num_threads(0);
    assert_int_equal(exblas_get_num_threads(), standard);
    exblas_set_num_threads(1 << 30);
    assert_true(exblas_get_num_threads() <= 1024);
    exblas_set_num_threads(-7);
    assert_int_equal(exblas_get_num_threads(), standard);
}

static void facts(NO_STATE)
{
    assert_string_equal(exblas_version(), EXBLAS_VERSION);
    assert_string_equal(exblas_info("version"), EXBLAS_VERSION);
    assert_string_equal(exblas_info("method"), "auto");
    assert_non_null(strstr(exblas_info("isas"), "generic"));
    assert_non_null(strstr(exblas_info("isas"), exblas_info("isa")));
    if (!getenv("EXBLAS_ISA"))
        assert_null(strstr(exblas_info("isa"), "emulated"));
    assert_non_null(exblas_info("compiler"));
    assert_null(exblas_info("no such key"));
    assert_null(exblas_info(NULL));
    for (int s = 0; s <= EXBLAS_EINDEFINITE; s++)
        assert_true(strlen(exblas_status_text(s)) > 3);
    assert_string_equal(exblas_status_text(EXBLAS_OK), "success");
    assert_string_equal(exblas_status_text(99), "unknown status");
    assert_string_equal(exblas_status_text(-1), "unknown status");
}

static void isas(NO_STATE)
{
    assert_int_equal(exb_isa_select("generic"), 0);
    assert_string_equal(exblas_info("isa"), "generic");
    assert_int_equal(exb_isa_select("no such ISA"), -1);
    assert_string_equal(exblas_info("isa"), "generic");
}

/* Tests that are run where the processor executes more than it reports. */
static void isas_by_name(NO_STATE)
{
    const char *last = exb_isa_name(exb_isa_count() - 1);
    assert_int_equal(setenv("TEST_CPU", "generic", 1), 0);
    assert_int_equal(exb_isa_count() > 1 ? exb_isa_select(last) : -1, -1);
    char both[64];
    snprintf(both, sizeof both, "generic,%s", last);
    assert_int_equal(setenv("TEST_CPU", both, 1), 0);
    assert_int_equal(exb_isa_select(last), 0);
    assert_int_equal(exb_isa_select("generic"), 0);
    assert_int_equal(unsetenv("TEST_CPU"), 0);
}

/* Whatever is asked for, the limit of all threads together does not overflow. */
static void workspace(NO_STATE)
{
    assert_int_equal(exblas_set_workspace(12345), EXBLAS_OK);
    assert_int_equal(exb_memory_limit(), 12345);
    assert_int_equal(exblas_set_workspace(SIZE_MAX), EXBLAS_OK);
    assert_true(exb_memory_limit() > SIZE_MAX >> 16 && exb_memory_limit() <= SIZE_MAX / 1024);
    assert_int_equal(exblas_set_workspace(0), EXBLAS_OK);
    assert_int_equal(exb_memory_limit(), 256 << 20);
}

/* Runs this program with --child and one variable set; what it printed. */
static void run_child(const char *variable, const char *value, char out[1024])
{
    int ends[2];
    out[0] = '\0';
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        unsetenv("EXBLAS_NUM_THREADS");
        unsetenv("OMP_NUM_THREADS");
        setenv(variable, value, 1);
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        execl(self, self, "--child", (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t got;
    while (n < 1000 && (got = read(ends[0], out + n, 1000 - n)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* Prints the settings after two calls: a warning must come once. */
static int child(void)
{
    const double x[] = {1, 2};
    excblas_dsum(2, x, 1);
    excblas_dsum(2, x, 1);
    printf("method %s threads %s isa %s workspace %zu.\n", exblas_info("method"),
           exblas_info("threads"), exblas_info("isa"), exb_memory_limit());
    return 0;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void environment(NO_STATE)
{
    static const struct {
        const char *variable, *value, *expected;
        int n_warnings;
    } cases[] = {
        {"EXBLAS_METHOD", "fpe6ee", "method fpe6ee", 0},
        {"EXBLAS_METHOD", "magic", "method auto", 1},
        {"EXBLAS_METHOD", "", "method auto", 0},
        {"EXBLAS_NUM_THREADS", "3", "threads 3", 0},
        {"EXBLAS_NUM_THREADS", "many", "threads", 1},
        {"EXBLAS_NUM_THREADS", "-2", "threads", 1},
        {"OMP_NUM_THREADS", "5,2", "threads 5", 0},
        {"OMP_NUM_THREADS", "x", "threads", 0},
        {"EXBLAS_ISA", "generic", "isa generic", 0},
        {"EXBLAS_ISA", "abacus", "isa", 1},
        {"EXBLAS_MEHTOD", "superacc", "method auto", 1},
        {"EXBLAS_WORKSPACE", "100000", "workspace 100000.", 0},
        {"EXBLAS_WORKSPACE", "3k", "workspace 3072.", 0},
        {"EXBLAS_WORKSPACE", "3M", "workspace 3145728.", 0},
        {"EXBLAS_WORKSPACE", "2G", "workspace 2147483648.", 0},
        {"EXBLAS_WORKSPACE", "", "workspace 268435456.", 0},
        {"EXBLAS_WORKSPACE", "0", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "1.5G", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "64MB", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "M", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "-5", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", " -5", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "+5", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "17179869184G", "workspace 268435456.", 1},
        {"EXBLAS_WORKSPACE", "99999999999999999999999", "workspace 268435456.", 1},
    };
    char out[1024];
    if (test_is_emulated())
        leave_test("programs of another architecture cannot be started");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_child(cases[i].variable, cases[i].value, out);
        if (!strstr(out, cases[i].expected) || count(out, "exblas: ") != cases[i].n_warnings)
            fail_msg("%s=%s gave: %s", cases[i].variable, cases[i].value, out);
        if (cases[i].n_warnings)
            assert_int_equal(count(out, cases[i].variable), 1);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--child") == 0)
        return child();
    self = argv[0];
    return run_each(methods, threads, facts, isas, isas_by_name, environment, workspace);
}
