/* What is found, for people and programs. Each writes one record. */
#pragma once

#include "session.h"

#include <stdio.h>

void fprev_report_text(FILE *f, const fprev_request *q, const fprev_reply *r,
                       const fprev_record *record);
void fprev_report_json(FILE *f, const fprev_request *q, const fprev_reply *r,
                       const fprev_record *record);

/* The tree alone. */
void fprev_draw_ascii(FILE *f, const fprev_tree *t);

/* An order in words: "16 lanes × 4 terms (stride 16), then pairwise". Never more than size bytes.
 */
void fprev_describe(const fprev_tree *t, char *text, size_t size);
