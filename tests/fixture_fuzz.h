/* fixture_fuzz: what must hold for any bytes that a reader is given.
 *
 * Each function aborts when a law breaks: an error is the user's (never ours, never of the machine)
 * and has a place and a message; what is accepted stays within the limits and survives being
 * written and read again. The fuzz_*.c programs and test_fuzz call them. */
#ifndef SLUICE_TESTS_FIXTURE_FUZZ_H
#define SLUICE_TESTS_FIXTURE_FUZZ_H

#include <stddef.h>

void fixture_fuzz_json(const char *text, size_t length);
void fixture_fuzz_yaml(const char *text, size_t length);
/* A document (JSON after a brace or bracket, else YAML), and after a line "=====" an assignment. */
void fixture_fuzz_bind(const char *text, size_t length);
/* The first byte says the format and the batch. */
void fixture_fuzz_timings(const char *text, size_t length);

/* A recorded trace of any format; what is accepted is written, read again, and fitted. */
void fixture_fuzz_trace(const char *text, size_t length);

#endif
