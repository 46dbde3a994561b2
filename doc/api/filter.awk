# Makes the headers' plain comments ones that doxygen reads: the first documents the file, another one all
# declarations from it to the next empty line.
NR == 1 && /^\/\* / { sub(/^\/\* /, "/** @file\n * "); print; next }
/^\/\* / { sub(/^\/\* /, "/** "); comment = 1 }
open && /^$/ { print "/** @} */"; open = 0 }
{ print }
comment && /\*\/ *$/ { print "/** @{ */"; comment = 0; open = 1 }
END { if (open) print "/** @} */" }
