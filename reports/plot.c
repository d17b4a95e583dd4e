/* plot: libplot draws; its SVG is then cleaned for use inside a page.
 *
 * libplot writes a whole document with a prolog, fixed ids and Latin-1 text that is placed by the
 * widths of Helvetica, which the reader may not have. So only the shapes are taken from it: every
 * label is drawn as a mark, and the cleaner puts an element of our own in its place, in UTF-8 and
 * with a true text-anchor. */
#include "reports/plot.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plot.h>

/* A libplot line longer than this many points would be cut in two, with a visible joint. */
#define LONGEST_LINE "1000000"

static const struct {
    uint32_t light, dark; /* 0xRRGGBB; never pure white or black, which libplot writes by name */
} inks[PLOT_INKS] = {
    [PLOT_BLUE] = {0x0072b2, 0x4ea8de},
    [PLOT_ORANGE] = {0xe69f00, 0xf0b43c},
    [PLOT_GREEN] = {0x009e73, 0x35c295},
    [PLOT_RED] = {0xd55e00, 0xf2834a},
    [PLOT_SKY] = {0x56b4e9, 0x8accf0},
    [PLOT_PINK] = {0xcc79a7, 0xdc97be},
    [PLOT_YELLOW] = {0xc8b400, 0xe2d35a}, /* darker than in the set, for white paper */
    [PLOT_GREY] = {0x8a929c, 0x959da8},
    [PLOT_PALE + PLOT_BLUE] = {0xcfe3f1, 0x1d3f55},
    [PLOT_PALE + PLOT_ORANGE] = {0xfae7c3, 0x4f3d16},
    [PLOT_PALE + PLOT_GREEN] = {0xcdebe1, 0x174433},
    [PLOT_PALE + PLOT_RED] = {0xf7dcc9, 0x532f19},
    [PLOT_PALE + PLOT_SKY] = {0xdceefa, 0x264556},
    [PLOT_PALE + PLOT_PINK] = {0xf3e1eb, 0x4b3341},
    [PLOT_PALE + PLOT_YELLOW] = {0xf2edc9, 0x4a461e},
    [PLOT_PALE + PLOT_GREY] = {0xe4e6e9, 0x3a4149},
    [PLOT_GRID] = {0xe2e5e9, 0x2c333b},
    [PLOT_AXIS] = {0x88909b, 0x6c7580},
    [PLOT_TEXT] = {0x4a525d, 0xb4bcc6},
    [PLOT_TITLE] = {0x1a212b, 0xe9edf1},
    [PLOT_PAPER] = {0xfefefe, 0x161b21},
};

struct label {
    struct plot_point at;
    struct plot_type type;
    char *s;
};

struct plot {
    struct plot_page page;
    plPlotterParams *params;
    plPlotter *plotter;
    FILE *stream;
    char *bytes; /* what libplot wrote; complete once the stream is closed */
    size_t length;
    struct label *labels; /* SVG only */
    size_t n_labels, label_room;
    bool no_memory;
};

static double flip(const struct plot *p, double y)
{
    /* libplot mirrors the letters of a space that is upside down. */
    return p->page.format == PLOT_PNG ? p->page.height - y : y;
}

static bool open_plotter(struct plot *p)
{
    const struct plot_page *page = &p->page;
    char size[64];
    if (page->format == PLOT_PNG)
        snprintf(size, sizeof size, "%dx%d", (int)lround(page->width * page->scale),
                 (int)lround(page->height * page->scale));
    else
        snprintf(size, sizeof size, "a4,xsize=%gcm,ysize=%gcm", page->width, page->height);
    p->params = pl_newplparams();
    if (!p->params)
        return false;
    char longest[] = LONGEST_LINE;
    pl_setplparam(p->params, page->format == PLOT_PNG ? "BITMAPSIZE" : "PAGESIZE", size);
    pl_setplparam(p->params, "MAX_LINE_LENGTH", longest);
    p->plotter =
        pl_newpl_r(page->format == PLOT_PNG ? "png" : "svg", NULL, p->stream, NULL, p->params);
    if (!p->plotter || pl_openpl_r(p->plotter) < 0)
        return false;
    if (page->format == PLOT_PNG)
        pl_fspace_r(p->plotter, 0, 0, page->width, page->height);
    else
        pl_fspace_r(p->plotter, 0, page->height, page->width, 0);
    pl_erase_r(p->plotter);
    pl_fontname_r(p->plotter, page->format == PLOT_PNG ? "HersheySans" : "Helvetica");
    if (page->format == PLOT_PNG)
        pl_joinmod_r(p->plotter, "round");
    return true;
}

static void free_plot(struct plot *p)
{
    if (p->plotter)
        pl_deletepl_r(p->plotter);
    if (p->params)
        pl_deleteplparams(p->params);
    if (p->stream)
        fclose(p->stream);
    for (size_t i = 0; i < p->n_labels; i++)
        free(p->labels[i].s);
    free(p->labels);
    free(p->bytes);
    free(p);
}

struct plot *plot_open(const struct plot_page *page, struct err *e)
{
    assert(page && page->id && page->title && page->desc && page->width > 0 && page->height > 0);
    struct plot *p = calloc(1, sizeof *p);
    if (!p) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for a chart");
        return NULL;
    }
    p->page = *page;
    p->stream = open_memstream(&p->bytes, &p->length);
    if (!p->stream || !open_plotter(p)) {
        err_set(e, ERR_SYSTEM, NULL,
                page->format == PLOT_PNG
                    ? "libplot cannot draw PNG here: it may have been built without"
                    : "libplot cannot draw SVG here");
        free_plot(p);
        return NULL;
    }
    return p;
}

/* ---- drawing ---- */

static void set_pen(struct plot *p, enum plot_ink ink)
{
    uint32_t c = inks[ink].light;
    pl_pencolor_r(p->plotter, (int)(c >> 16) * 257, (int)(c >> 8 & 255) * 257,
                  (int)(c & 255) * 257);
}

static void stroke(struct plot *p, const struct plot_pen *pen)
{
    static const double dash[] = {5, 4}, none[] = {0};
    set_pen(p, pen->ink);
    pl_pentype_r(p->plotter, 1);
    pl_filltype_r(p->plotter, 0);
    pl_flinewidth_r(p->plotter, pen->width);
    pl_flinedash_r(p->plotter, pen->dashed ? 2 : 0, pen->dashed ? dash : none, 0);
}

static void fill(struct plot *p, enum plot_ink ink)
{
    uint32_t c = inks[ink].light;
    pl_fillcolor_r(p->plotter, (int)(c >> 16) * 257, (int)(c >> 8 & 255) * 257,
                   (int)(c & 255) * 257);
    pl_pentype_r(p->plotter, 0);
    pl_filltype_r(p->plotter, 1);
}

static void trace(struct plot *p, const struct plot_point *points, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert(isfinite(points[i].x) && isfinite(points[i].y));
        double y = flip(p, points[i].y);
        if (i == 0)
            pl_fmove_r(p->plotter, points[i].x, y);
        else
            pl_fcont_r(p->plotter, points[i].x, y);
    }
}

void plot_lines(struct plot *p, const struct plot_point *points, size_t n,
                const struct plot_pen *pen)
{
    assert(p && pen && (points || n == 0));
    if (n < 2)
        return;
    stroke(p, pen);
    trace(p, points, n);
    pl_endpath_r(p->plotter);
}

void plot_line(struct plot *p, struct plot_point from, struct plot_point to,
               const struct plot_pen *pen)
{
    plot_lines(p, (struct plot_point[]){from, to}, 2, pen);
}

void plot_polygon(struct plot *p, const struct plot_point *points, size_t n, enum plot_ink ink)
{
    assert(p && (points || n == 0));
    if (n < 3)
        return;
    fill(p, ink);
    trace(p, points, n);
    pl_closepath_r(p->plotter);
}

void plot_box(struct plot *p, struct plot_point a, struct plot_point b, enum plot_ink ink)
{
    assert(p);
    fill(p, ink);
    pl_fbox_r(p->plotter, a.x, flip(p, a.y), b.x, flip(p, b.y));
}

/* ---- labels ---- */

/* The character at *s, which moves on; U+FFFD for a byte that is no UTF-8. */
static uint32_t next_character(const char **s)
{
    const unsigned char *u = (const unsigned char *)*s;
    int more = u[0] < 0x80 ? 0 : u[0] >= 0xF0 ? 3 : u[0] >= 0xE0 ? 2 : u[0] >= 0xC2 ? 1 : -1;
    (*s)++;
    if (more <= 0)
        return more == 0 ? u[0] : 0xFFFD;
    uint32_t c = u[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return 0xFFFD;
        c = c << 6 | (u[i] & 0x3Fu);
    }
    *s += more;
    return c;
}

double plot_label_width(const char *s, double size)
{
    assert(s);
    double em = 0;
    while (*s) {
        uint32_t c = next_character(&s);
        if (c >= 0x1100)
            em += 1.05;
        else if (c == 0xA0 || (c < 0x80 && strchr("iljtfr.,:;'|! ()[]-", (int)c)))
            em += 0.36;
        else
            em += c >= 'A' && c <= 'Z' ? 0.70 : c == 'm' || c == 'w' || c == '%' ? 0.86 : 0.58;
    }
    return em * size * 1.06;
}

static void draw_png_label(struct plot *p, struct plot_point at, const char *s,
                           const struct plot_type *type)
{
    char latin[256];
    size_t n = 0;
    while (*s && n + 1 < sizeof latin) {
        uint32_t c = next_character(&s);
        /* "\\" starts an escape in Hershey fonts. */
        latin[n++] = (char)(c == 0xA0 ? ' ' : c >= 0x20 && c < 0x100 && c != '\\' ? c : '?');
    }
    latin[n] = '\0';
    struct plot_pen pen = {.ink = type->ink, .width = type->bold ? 1.6 : 1.0};
    stroke(p, &pen);
    pl_ffontsize_r(p->plotter, type->size);
    pl_fmove_r(p->plotter, at.x, flip(p, at.y));
    static const int justify[] = {[PLOT_START] = 'l', [PLOT_MIDDLE] = 'c', [PLOT_END] = 'r'};
    pl_alabel_r(p->plotter, justify[type->anchor], 'x', latin);
}

static struct label *add_label(struct plot *p)
{
    if (p->n_labels == p->label_room) {
        size_t room = p->label_room ? 2 * p->label_room : 64;
        struct label *more = realloc(p->labels, room * sizeof *more);
        if (!more)
            return NULL;
        p->labels = more;
        p->label_room = room;
    }
    return &p->labels[p->n_labels];
}

void plot_label(struct plot *p, struct plot_point at, const char *s, const struct plot_type *type)
{
    assert(p && s && type && isfinite(at.x) && isfinite(at.y));
    if (*s == '\0')
        return;
    if (p->page.format == PLOT_PNG) {
        draw_png_label(p, at, s, type);
        return;
    }
    struct label *l = add_label(p);
    char *copy = l ? malloc(strlen(s) + 1) : NULL;
    if (!copy) {
        p->no_memory = true;
        return;
    }
    *l = (struct label){at, *type, strcpy(copy, s)};
    p->n_labels++;
    pl_fmove_r(p->plotter, at.x, at.y);
    pl_alabel_r(p->plotter, 'l', 'x', "#");
}

/* ---- the cleaned SVG ---- */

static void write_label(struct text *to, const struct label *l)
{
    static const char *const anchor[] = {[PLOT_START] = "",
                                         [PLOT_MIDDLE] = " text-anchor=\"middle\"",
                                         [PLOT_END] = " text-anchor=\"end\""};
    text_printf(
        to, "<text x=\"%.5g\" y=\"%.5g\" font-size=\"%.3g\"%s%s stroke=\"none\" fill=\"#%06x\">",
        l->at.x, l->at.y, l->type.size, anchor[l->type.anchor],
        l->type.bold ? " font-weight=\"600\"" : "", (unsigned)inks[l->type.ink].light);
    text_html(to, l->s);
    text_add(to, "</text>");
}

static void write_head(struct text *to, const struct plot_page *page)
{
    text_printf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.5g %.5g\"",
                page->width, page->height);
    if (page->css_class)
        text_printf(to, " class=\"%s\"", page->css_class);
    text_printf(to,
                " role=\"img\" aria-labelledby=\"%s-t %s-d\""
                " font-family=\"Helvetica,Arial,sans-serif\">\n<title id=\"%s-t\">",
                page->id, page->id, page->id);
    text_html(to, page->title);
    text_printf(to, "</title>\n<desc id=\"%s-d\">", page->id);
    text_html(to, page->desc);
    /* What libplot leaves out because its own group says so. Round joints are ours. */
    text_add(to, "</desc>\n<g fill=\"none\" fill-rule=\"evenodd\" stroke=\"black\""
                 " stroke-linejoin=\"round\">\n");
}

/* False when libplot's document is not of the form that is known here. */
static bool write_svg(const struct plot *p, struct text *to)
{
    const char *body = p->bytes ? strstr(p->bytes, "<g id=\"content\"") : NULL;
    const char *end = body ? strstr(body, "\n</g>\n</svg>") : NULL;
    body = end ? strstr(body, ">\n") : NULL;
    if (!body || body > end)
        return false;
    write_head(to, &p->page);
    size_t k = 0;
    const char *text;
    for (body += 2; (text = strstr(body, "<text ")) && text < end; k++) {
        const char *after = strstr(text, "</text>");
        if (!after || after > end || k == p->n_labels)
            return false;
        text_add_bytes(to, body, (size_t)(text - body));
        write_label(to, &p->labels[k]);
        body = after + strlen("</text>");
    }
    if (body < end)
        text_add_bytes(to, body, (size_t)(end - body));
    text_add(to, "\n</g>\n</svg>\n");
    return k == p->n_labels;
}

static int deliver(struct plot *p, struct text *to, struct err *e)
{
    bool drawn = pl_closepl_r(p->plotter) >= 0;
    drawn = pl_deletepl_r(p->plotter) >= 0 && drawn;
    p->plotter = NULL;
    bool written = fclose(p->stream) == 0;
    p->stream = NULL;
    if (!written || p->no_memory)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for chart \"%s\"", p->page.title);
    if (to && p->page.format == PLOT_PNG)
        text_add_bytes(to, p->bytes, p->length);
    if (!drawn || (to && p->page.format == PLOT_SVG && !write_svg(p, to)))
        return err_set(e, ERR_SYSTEM, NULL,
                       "this version of libplot writes another form of SVG than 2.6 does");
    return to ? text_end(to, e) : 0;
}

int plot_close(struct plot *p, struct text *to, struct err *e)
{
    assert(p);
    int status = deliver(p, to, e);
    free_plot(p);
    return status;
}

void plot_css_dark(struct text *to, const char *selector)
{
    for (int i = 0; i < PLOT_INKS; i++) {
        unsigned light = inks[i].light, dark = inks[i].dark;
        text_printf(to, "%s [fill=\"#%06x\"]{fill:#%06x}%s [stroke=\"#%06x\"]{stroke:#%06x}\n",
                    selector, light, dark, selector, light, dark);
    }
}
