/* What the tree of additions does not tell, asked node by node. */
#pragma once

#include "probe.h"

/* Marks leaves of additions of two whose product enters unrounded. One call a leaf. */
void fprev_mark_fused(fprev_probe *p, fprev_tree *t);

/* Marks additions whose result keeps bits beyond the precision of the results. One call an
 * addition; not for absolute values. */
void fprev_mark_wide(fprev_probe *p, fprev_tree *t);

fprev_products fprev_count_fused(const fprev_function *f, const fprev_tree *t);
int fprev_count_wide(const fprev_tree *t);
