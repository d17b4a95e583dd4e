/* test_sources: every figure of the catalogue and the calibration says where it is from. */
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/json.h"
#include "sim/knob.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const struct json *entry, const char *key)
{
    const struct json *v = json_get(entry, key);
    return v && v->type == JSON_STRING ? v->string : "";
}

/* 2021, 2021-07 or 2021-07-19. */
static bool is_date(const char *s)
{
    static const char form[] = "dddd-dd-dd";
    size_t n = strlen(s);
    if (n != 4 && n != 7 && n != 10)
        return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)s[i]) : s[i] != form[i])
            return false;
    return true;
}

/* What is wrong with an entry, or NULL. */
static const char *fault(const struct json *entry)
{
    const char *quality = text_of(entry, "quality");
    if (strlen(text_of(entry, "source")) < 10)
        return "no source";
    if (!is_date(text_of(entry, "date")))
        return "no date like 2021, 2021-07 or 2021-07-19";
    for (enum knob_quality q = QUALITY_OFFICIAL; q <= QUALITY_ASSUMED; q++)
        if (strcmp(quality, knob_quality_name(q)) == 0) {
            bool derived = *text_of(entry, "note") || *text_of(entry, "derivation");
            return q == QUALITY_ASSUMED && !derived ? "assumed, and not said from what" : NULL;
        }
    return "no quality that is one of the four";
}

static size_t check_file(const char *path)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    char place[600];
    size_t length = 0, entries = 0;
    char *text = file_read(a, path, 16u << 20, &length, &e);
    cr_assert(text, "%s", e.msg);
    const struct json *root = json_parse(a, path, text, length, &e);
    cr_assert(root, "%s: %s", e.where, e.msg);
    for (const struct json *list = root->first; list; list = list->next)
        for (const struct json *entry = list->first; entry; entry = entry->next) {
            const char *what = fault(entry);
            cr_expect_null(what, "%s: %s", json_place(place, sizeof place, entry), what);
            entries++;
        }
    arena_destroy(a);
    return entries;
}

static size_t check_folder(const char *folder)
{
    size_t entries = 0;
    DIR *dir = opendir(folder);
    cr_assert(dir, "%s", folder);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[1024];
        size_t n = strlen(d->d_name);
        if (n < 6 || strcmp(d->d_name + n - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        entries += check_file(path);
    }
    closedir(dir);
    return entries;
}

Test(sources, every_catalogue_entry_has_document_date_and_quality)
{
    cr_expect_geq(check_folder(SLUICE_SOURCE_DIR "/scenarios/catalog"), 50);
}

Test(sources, every_calibration_profile_has_them_too)
{
    cr_expect_geq(check_folder(SLUICE_SOURCE_DIR "/scenarios/calibration"), 3);
}

static const char *fault_of(const char *text)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const struct json *entry = json_parse(a, "entry", text, strlen(text), &e);
    cr_assert(entry, "%s", e.msg);
    const char *what = fault(entry);
    arena_destroy(a);
    return what;
}

Test(sources, an_entry_without_one_of_them_is_found)
{
#define BOOK "\"source\": \"a document\""
    static const char *const bad[] = {
        "{}",
        "{\"date\": \"2021\", \"quality\": \"official\"}",
        "{" BOOK ", \"quality\": \"official\"}",
        "{" BOOK ", \"date\": \"July 2021\", \"quality\": \"official\"}",
        "{" BOOK ", \"date\": \"2021-7-1\", \"quality\": \"official\"}",
        "{" BOOK ", \"date\": \"2021\"}",
        "{" BOOK ", \"date\": \"2021\", \"quality\": \"sure\"}",
        "{" BOOK ", \"date\": \"2021\", \"quality\": \"assumed\"}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not_null(fault_of(bad[i]), "%s", bad[i]);
    cr_expect_null(fault_of("{" BOOK ", \"date\": \"2021-07-19\", \"quality\": \"official\"}"));
    cr_expect_null(
        fault_of("{" BOOK ", \"date\": \"2021\", \"quality\": \"assumed\", \"note\": \"half\"}"));
}
