/* test_environment: what a processor says of itself; no clock is judged. */
#include "kernels/environment.h"

#include <criterion/criterion.h>
#include <string.h>

Test(environment, of_a_processor_names_everything_that_is_compared)
{
    struct environment env;
    struct environment_field fields[ENVIRONMENT_FIELDS];
    char scratch[16];
    environment_processor(&env);
    environment_fields(&env, fields, scratch);
    for (size_t i = 0; i < ENVIRONMENT_FIELDS; i++)
        cr_expect(fields[i].value[0], "%s", fields[i].name);
    cr_expect_str_eq(env.backend, "cpu");
    cr_expect_eq(strncmp(env.framework, "OpenBLAS ", 9), 0, "%s", env.framework);
    cr_expect_eq(strchr(env.framework + 9, ' '), NULL);
    cr_expect(env.threads >= 1);
}

Test(environment, is_the_same_when_asked_twice)
{
    struct environment a, b;
    environment_processor(&a);
    environment_processor(&b);
    cr_expect_eq(memcmp(&a, &b, sizeof a), 0);
}
