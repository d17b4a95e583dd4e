/* show: text, JSON, CSV and the page. */
#include "scenarios/cli/show.h"

#include "reports/export.h"
#include "reports/page.h"
#include "reports/summary.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

int show_check(const char *format, struct err *e)
{
    static const char *const formats[] = {"text", "json", "csv"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(format, formats[i]) == 0)
            return 0;
    return err_set(e, ERR_INPUT, NULL, "--format: '%s' is none of text, json, csv", format);
}

int show_check_target(const char *path, const char *option, struct err *e)
{
    char folder[4096];
    struct stat st;
    if (!path)
        return 0;
    if (!path[0])
        return err_set(e, ERR_INPUT, NULL, "%s: a file name is expected, found an empty text",
                       option);
    const char *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    if (snprintf(folder, sizeof folder, "%.*s", length ? length : 1, slash ? path : ".") >=
        (int)sizeof folder)
        return err_set(e, ERR_INPUT, NULL, "%s: this file name is too long", option);
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return err_set(e, ERR_INPUT, NULL, "%s: %s: there is no folder %s", option, path, folder);
    if (access(folder, W_OK) != 0)
        return err_set(e, ERR_INPUT, NULL, "%s: %s: the folder %s cannot be written in", option,
                       path, folder);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(e, ERR_INPUT, NULL, "%s: %s is a folder, expected a file", option, path);
    return 0;
}

/* A file that is renamed into place would take the place of a device, or of a link to elsewhere. */
static int check_plain(const char *path, const char *option, struct err *e)
{
    struct stat st;
    if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
        return 0;
    return err_set(e, ERR_INPUT, NULL, "%s: %s is a link, device or pipe; name a file of its own",
                   option, path);
}

int show_check_output(const char *path, const char *option, const struct option_texts *inputs,
                      struct err *e)
{
    struct stat out, in;
    if (show_check_target(path, option, e) || (path && check_plain(path, option, e)))
        return -1;
    if (!path || !inputs || stat(path, &out) != 0)
        return 0;
    for (size_t i = 0; i < inputs->count; i++)
        if (stat(inputs->items[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return err_set(e, ERR_INPUT, NULL,
                           "%s: %s is the file that is read; name another to write", option, path);
    return 0;
}

bool show_is_png(const char *file)
{
    size_t n = strlen(file);
    return n > 4 && strcmp(file + n - 4, ".png") == 0;
}

int show_check_picture(const char *file, const struct option_texts *inputs, struct err *e)
{
    size_t n = file ? strlen(file) : 0;
    if (file && !show_is_png(file) && (n < 5 || strcmp(file + n - 4, ".svg") != 0))
        return err_set(e, ERR_INPUT, NULL, "--chart: '%.*s' ends neither in .svg nor in .png",
                       text_cut(file, 80), file);
    return show_check_output(file, "--chart", inputs, e);
}

#define PAGE_BEGINS "<!doctype html>"

/* The page takes the place of what is there: only an earlier page, or nothing, may be lost. */
int show_check_page(const char *path, const char *option, struct err *e)
{
    char begin[sizeof PAGE_BEGINS] = {0};
    struct stat st;
    if (show_check_target(path, option, e) || (path && check_plain(path, option, e)))
        return -1;
    if (!path || stat(path, &st) != 0 || st.st_size == 0)
        return 0;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(begin, 1, sizeof begin - 1, f) : 0;
    if (f)
        fclose(f);
    if (n == sizeof begin - 1 && strcasecmp(begin, PAGE_BEGINS) == 0)
        return 0;
    return err_set(e, ERR_INPUT, NULL, "%s: %s is there and is no page; name another file", option,
                   path);
}

int show_render(const struct result *r, const char *format, struct text *out, struct err *e)
{
    if (strcmp(format, "json") == 0)
        export_json(r, true, out);
    else if (strcmp(format, "csv") == 0)
        export_csv(r, out);
    else
        summary_text(r, isatty(STDOUT_FILENO) != 0, out);
    return text_end(out, e);
}

static int write_file(const char *path, const struct text *t, struct err *e)
{
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.part", path) >= (int)sizeof beside)
        return err_set(e, ERR_INPUT, NULL, "%.200s...: this file name is too long", path);
    FILE *f = fopen(beside, "wb");
    if (!f)
        return err_set(e, errno == ENOSPC ? ERR_SYSTEM : ERR_INPUT, path,
                       "the file cannot be written: %s", strerror(errno));
    bool good = fwrite(t->s ? t->s : "", 1, t->length, f) == t->length;
    good = fclose(f) == 0 && good;
    if (good && rename(beside, path) == 0)
        return 0;
    int cause = errno;
    remove(beside);
    return err_set(e, ERR_SYSTEM, path, "the file could not be written: %s", strerror(cause));
}

int show_write(const char *path, const struct text *t, struct err *e)
{
    if (path)
        return write_file(path, t, e);
    if (fwrite(t->s ? t->s : "", 1, t->length, stdout) != t->length)
        return err_set(e, ERR_SYSTEM, NULL, "standard output cannot be written");
    return 0;
}

int show_print(struct text *t, struct err *e)
{
    int rc = text_end(t, e) || show_write(NULL, t, e);
    text_fini(t);
    return rc ? -1 : 0;
}

int show_page(const struct result *r, const char *path, struct err *e)
{
    struct text page = {0};
    int rc = page_html(r, &page, e) || text_end(&page, e) || write_file(path, &page, e);
    text_fini(&page);
    return rc ? -1 : 0;
}
