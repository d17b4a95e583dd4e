/* show: a result in the format that was asked for. */
#ifndef SLUICE_SCENARIOS_CLI_SHOW_H
#define SLUICE_SCENARIOS_CLI_SHOW_H

#include "scenarios/cli/options.h"
#include "sim/err.h"
#include "sim/result.h"
#include "sim/text.h"

#include <stdbool.h>

/* text, json or csv: ERR_INPUT when it is none of them. */
int show_check(const char *format, struct err *e);
/* ERR_INPUT, before any time is spent on a run, when the folder of a file to write is not there or
 * not to be written in. path may be NULL. */
int show_check_target(const char *path, const char *option, struct err *e);
/* The same for a file that takes the place of what is there: also ERR_INPUT when the path is a
 * link, device or pipe, or one of the files that are read; inputs may be NULL. */
int show_check_output(const char *path, const char *option, const struct option_texts *inputs,
                      struct err *e);
/* The same for a picture of --chart, whose name ends in .svg or .png. */
int show_check_picture(const char *file, const struct option_texts *inputs, struct err *e);
bool show_is_png(const char *file);
/* The same for a page, which takes the place of the file: also ERR_INPUT when the path is a link,
 * device or pipe, or a file that is neither empty nor a page. */
int show_check_page(const char *path, const char *option, struct err *e);
/* Writes beside `path` and renames: the whole file or none; standard output for NULL. */
int show_write(const char *path, const struct text *t, struct err *e);
/* Ends the text, writes it to standard output and frees it, whether or not it fails. */
int show_print(struct text *t, struct err *e);
/* Appends to out; text is coloured when standard output is a terminal. */
int show_render(const struct result *r, const char *format, struct text *out, struct err *e);
/* Writes the HTML page beside `path` and renames it: the whole page or none. */
int show_page(const struct result *r, const char *path, struct err *e);

#endif
