/* What reports and traces say of the process. */
#pragma once

#include <stddef.h>

/* A file name with each %p replaced by the process's number. */
void exb_process_file(char *out, size_t size, const char *pattern);
