/* plot: a drawing in pixels of the page, written as SVG or PNG; the one door to GNU libplot.
 *
 * x grows to the right and y downwards, as on a screen. Colours are named inks, so that a page can
 * give the same SVG other colours in the dark (plot_css). Equal calls give equal bytes.
 *
 * libplot ends the process with exit(1) when it runs out of memory, and offers no way to be told
 * instead. A chart takes some hundred kilobytes, so that has to be borne; callers store results
 * before they draw. Version 4.4 also leaks about 130 bytes a drawing. */
#ifndef SLUICE_REPORTS_PLOT_H
#define SLUICE_REPORTS_PLOT_H

#include "sim/err.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Eight series colours that people with any colour vision tell apart (the set of Okabe and Ito,
 * "Color Universal Design", 2008), a pale tone of each for bands, and the inks of the frame. */
#define PLOT_SERIES 8
enum plot_ink {
    PLOT_BLUE,
    PLOT_ORANGE,
    PLOT_GREEN,
    PLOT_RED,
    PLOT_SKY,
    PLOT_PINK,
    PLOT_YELLOW,
    PLOT_GREY,
    PLOT_PALE, /* PLOT_PALE + PLOT_BLUE is the pale blue, and so on */
    PLOT_GRID = PLOT_PALE + PLOT_SERIES,
    PLOT_AXIS,
    PLOT_TEXT,
    PLOT_TITLE,
    PLOT_PAPER, /* gaps between neighbours; the page's background */
    PLOT_INKS
};

struct plot_point {
    double x, y;
};

struct plot_pen {
    enum plot_ink ink;
    double width;
    bool dashed;
};

enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END };

struct plot_type {
    enum plot_ink ink;
    double size;
    enum plot_anchor anchor;
    bool bold;
};

enum plot_format { PLOT_SVG, PLOT_PNG };

/* Open data. id makes the ids inside the SVG unique in a page ([A-Za-z0-9_-]+); title and desc are
 * what a screen reader says. UTF-8. */
struct plot_page {
    enum plot_format format;
    double width, height;
    double scale; /* PNG pixels a unit, > 0; ignored by SVG */
    const char *id, *title, *desc;
    const char *css_class; /* of the svg element; NULL for none */
};

struct plot;

/* The strings of page must live until plot_close. NULL and ERR_SYSTEM without memory, or when this
 * libplot was built without PNG. */
struct plot *plot_open(const struct plot_page *page, struct err *e);
/* Appends the drawing (an inline svg element, or the bytes of a PNG file) to `to` and frees p, also
 * when it fails. to may be NULL: the drawing is thrown away. */
int plot_close(struct plot *p, struct text *to, struct err *e);

void plot_lines(struct plot *p, const struct plot_point *points, size_t n,
                const struct plot_pen *pen);
void plot_line(struct plot *p, struct plot_point from, struct plot_point to,
               const struct plot_pen *pen);
void plot_polygon(struct plot *p, const struct plot_point *points, size_t n, enum plot_ink ink);
void plot_box(struct plot *p, struct plot_point corner, struct plot_point opposite,
              enum plot_ink ink);
/* at is on the base line. UTF-8; PNG shows what is outside Latin-1 as "?". */
void plot_label(struct plot *p, struct plot_point at, const char *s, const struct plot_type *type);

/* About how wide a text will be: the reader's font is not known, so on the safe side. */
double plot_label_width(const char *s, double size);

/* CSS that gives charts inside elements of class `plot` the colours for a dark page. */
void plot_css_dark(struct text *to, const char *selector);

#endif
