/* What is found, for people and programs. Each writes one record. */
#ifndef FPREV_REPORT_H
#define FPREV_REPORT_H

#include "session.h"

#include <stdio.h>

void fprev_report_text(FILE *f, const fprev_request *q, const fprev_reply *r,
                       const fprev_record *record);
void fprev_report_json(FILE *f, const fprev_request *q, const fprev_reply *r,
                       const fprev_record *record);

/* The tree alone. */
void fprev_draw_ascii(FILE *f, const fprev_tree *t);

extern const char *const fprev_routine_names[];

#endif
