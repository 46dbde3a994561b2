/* What happens in the child. */
#pragma once

#include "session.h"

/* Loads the target, does what is asked and writes a reply, its values, its records and
 * their trees (parents, marks) to fd. False if that could not be written. */
bool fprev_work(const fprev_request *q, int fd, volatile int64_t *calls);
