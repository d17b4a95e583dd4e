/* test_bench_image: `sluice bench network --image` from the outside. */
#include "sim/arena.h"
#include "sim/err.h"
#include "sim/json.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>

#define PICTURE SLUICE_SOURCE_DIR "/tests/fixtures/small.jpg"

static struct temp_file labels_of(size_t n)
{
    static char text[1 << 16];
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "thing %zu\n", i);
    text[at] = '\0';
    return temp_text(text);
}

/* What the program prints on both outputs; its exit code. */
static int run(const char *options, const struct temp_file *labels, char *out, size_t size)
{
    char command[1024];
    snprintf(command, sizeof command,
             SLUICE_BINARY " bench network --backend cpu --image " PICTURE " --labels %s %s 2>&1",
             labels->path, options);
    FILE *p = popen(command, "r");
    cr_assert(p);
    size_t n = fread(out, 1, size - 1, p);
    out[n] = '\0';
    return WEXITSTATUS(pclose(p));
}

Test(bench_image, gives_five_classes_by_falling_score, .timeout = 60)
{
    char out[8192];
    double before = 1;
    struct err e = {0};
    struct temp_file labels = labels_of(1000);
    struct arena *a = arena_create(&e);
    cr_assert_eq(run("--format json", &labels, out, sizeof out), 0, "%s", out);
    const struct json *j = json_parse(a, "output", out, strlen(out), &e);
    cr_assert(j, "%s", e.msg);
    const struct json *top = json_get(j, "top");
    cr_assert_eq(top->count, 5);
    cr_expect_str_eq(json_get(j, "weights")->string, "random");
    for (const struct json *row = top->first; row; row = row->next) {
        char label[64];
        double score = json_get(row, "score")->number;
        snprintf(label, sizeof label, "thing %.0f", json_get(row, "class")->number);
        cr_expect_str_eq(json_get(row, "label")->string, label);
        cr_expect(score > 0 && score <= before);
        before = score;
    }
    cr_expect_eq(run("--variant keras", &labels, out, sizeof out), 0);
    cr_expect(strstr(out, "inception_v3 (keras)") && strstr(out, "\n5. "), "%s", out);
    temp_drop(&labels);
    arena_destroy(a);
}

Test(bench_image, labels_must_be_as_many_as_classes, .timeout = 60)
{
    char out[8192];
    struct temp_file labels = labels_of(999);
    cr_expect_eq(run("", &labels, out, sizeof out), 2);
    cr_expect(strstr(out, labels.path), "%s", out);
    cr_expect(strstr(out, "holds 999 labels, one a line; the network has 1000 classes"), "%s", out);
    temp_drop(&labels);
    labels = labels_of(1000);
    cr_expect_eq(run("--variant 2015", &labels, out, sizeof out), 2);
    cr_expect(strstr(out, "the network has 1008 classes"), "%s", out);
    temp_drop(&labels);
    labels = temp_text("\xC3\x28\n");
    cr_expect_eq(run("", &labels, out, sizeof out), 2);
    cr_expect(strstr(out, "line 1 is no UTF-8"), "%s", out);
    temp_drop(&labels);
}

Test(bench_image, broken_weights_are_told_by_file_and_tensor)
{
    char out[8192], options[128];
    struct temp_file labels = labels_of(1000), weights = temp_text("these are no weights");
    snprintf(options, sizeof options, "--weights %s", weights.path);
    cr_expect_eq(run(options, &labels, out, sizeof out), 2);
    cr_expect(strstr(out, weights.path) && strstr(out, "is no safetensors file"), "%s", out);
    temp_drop(&weights);
    char broken[128] = "\0\0\0\0\0\0\0\0{\"fc.bias\":{\"dtype\":\"F32\",\"shape\":[1000],"
                       "\"data_offsets\":[0,4000]}}";
    size_t n = strlen(broken + 8);
    broken[0] = (char)n;
    weights = temp_bytes(broken, 8 + n + 7);
    snprintf(options, sizeof options, "--weights %s", weights.path);
    cr_expect_eq(run(options, &labels, out, sizeof out), 2);
    cr_expect(strstr(out, ": tensor fc.bias: ends at byte 4000 of 7"), "%s", out);
    temp_drop(&weights);
    temp_drop(&labels);
}
