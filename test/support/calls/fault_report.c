#include "fault_report.h"

#include "testing.h"

#include <ctype.h>
#include <exblas/exblas.h>
#include <string.h>

enum { MOST_NAME = 40 };

double fault_data[FAULT_OPERANDS][FAULT_SIZE];

static double before[FAULT_OPERANDS][FAULT_SIZE];
static char reported[MOST_NAME];
static int reported_position, n_reports;

static void note(const char *routine, int info)
{
    snprintf(reported, sizeof reported, "%s", routine);
    reported_position = info;
    n_reports++;
}

static void fault_start(void)
{
    exblas_set_xerbla(note);
}

static void fault_stop(void)
{
    exblas_set_xerbla(NULL);
}

void fault_begin(void)
{
    n_reports = 0;
    for (int k = 0; k < FAULT_OPERANDS; k++)
        for (int i = 0; i < FAULT_SIZE; i++)
            fault_data[k][i] = before[k][i] = 1 + i * 0x1.23p-9;
}

bool fault_is_cblas(call_form form)
{
    return form == FORM_CBLAS || form == FORM_CBLAS_64;
}

bool fault_check(call_form form, const char *name, int position)
{
    char text[MOST_NAME];
    bool is_cblas = fault_is_cblas(form);
    snprintf(text, sizeof text, "%s%s", is_cblas ? "cblas_" : "", name);
    for (char *p = text; !is_cblas && *p; p++)
        *p = (char)toupper((unsigned char)*p);
    if (position == 0 && n_reports == 0)
        return false;
    if (n_reports != 1 || reported_position != position - !is_cblas ||
        strcmp(reported, text) != 0 || memcmp(fault_data, before, sizeof before) != 0)
        fail_msg("%s: %d reports, of %s argument %d; expected %s argument %d", text, n_reports,
                 reported, reported_position, text, position - !is_cblas);
    return true;
}

int fault_first(const char *checked, bool (*is_bad)(const void *call, char argument),
                const void *call)
{
    for (const char *p = checked; *p; p += strcspn(p, " "), p += *p == ' ')
        if (is_bad(call, *p))
            return atoi(p + 1);
    return 0;
}

char fault_option(test_random *r, int odds, const char *letters)
{
    return random_chance(r, odds) ? 'x'
                                  : letters[random_between(r, 0, (int64_t)strlen(letters) - 1)];
}

void fault_every_routine(const char *seed_name, int n_families,
                         int (*call)(test_random *r, int family, char type))
{
    test_random r = test_random_start(test_seed(), seed_name);
    size_t n_bad = 0;
    fault_start();
    for (int f = 0; f < n_families; f++)
        for (const char *type = "sdcz"; *type; type++)
            for (int i = 0, bad = 0; i < 1500 && bad >= 0; i++) {
                bad = call(&r, f, *type);
                n_bad += bad > 0;
            }
    fault_stop();
    printf("# %zu bad calls\n", n_bad);
    assert_true(n_bad > 10000);
}
