/* fixture_golden: outputs kept in git, so that a change of them is a visible diff. */
#ifndef SLUICE_TESTS_FIXTURE_GOLDEN_H
#define SLUICE_TESTS_FIXTURE_GOLDEN_H

#include <stddef.h>

/* Fails the running test unless tests/golden/<name> holds exactly these bytes; says where they
 * part. With SLUICE_GOLDEN=write in the environment the file is written instead. */
void golden_check(const char *name, const char *bytes, size_t length);

#endif
