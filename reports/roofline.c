/* roofline: a chart with two logarithmic axes. */
#include "reports/roofline.h"

#include "reports/axis.h"
#include "sim/chance.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_SIZE 13.0
#define PLOT_HEIGHT 340.0
#define CORNERS 16 /* of a mark: round enough */
#define LABELS 10
#define NAMED 5      /* marks that get a label wherever there is room for one */
#define LARGEST 13.0 /* radius of a mark */
#define DISTANCES 10
#define MARKS_MAX 512
#define ROOF_BOXES 64

static const struct plot_pen grid_pen = {.ink = PLOT_GRID, .width = 1};
static const struct plot_pen axis_pen = {.ink = PLOT_AXIS, .width = 1};
static const struct plot_pen roof_pen = {.ink = PLOT_TITLE, .width = 1.8};

double roofline_limit(const struct roofline *r, double flop_per_byte)
{
    double memory = flop_per_byte * r->gb_per_s;
    return memory < r->peak_gflops ? memory : r->peak_gflops;
}

/* A rectangle that a label takes. */
struct box {
    double x0, y0, x1, y1;
};

struct sheet {
    const struct roofline *r;
    struct plot *p;
    struct axis x, y;
    double left, right, top, bottom;
    struct box taken[MARKS_MAX + LABELS + (2 + NAMED) * ROOF_BOXES + 2];
    size_t n_taken;
};

static double x_at(const struct sheet *s, double v)
{
    return s->left + axis_place(&s->x, v) * (s->right - s->left);
}

static double y_at(const struct sheet *s, double v)
{
    return s->bottom - axis_place(&s->y, v) * (s->bottom - s->top);
}

static void say(struct plot *p, double x, double y, const char *text, enum plot_anchor anchor)
{
    plot_label(p, (struct plot_point){x, y}, text,
               &(struct plot_type){.ink = PLOT_TEXT, .size = TEXT_SIZE, .anchor = anchor});
}

static void make_axes(struct sheet *s)
{
    const struct roofline *r = s->r;
    double ridge = r->peak_gflops / r->gb_per_s, x0 = ridge / 4, x1 = ridge * 4;
    double y0 = r->peak_gflops / 4, y1 = r->peak_gflops;
    for (size_t i = 0; i < r->n; i++) {
        const struct roofline_point *p = &r->points[i];
        assert(p->flop_per_byte > 0 && p->gflops > 0);
        x0 = fmin(x0, p->flop_per_byte / 1.3);
        x1 = fmax(x1, p->flop_per_byte * 1.3);
        y0 = fmin(y0, p->gflops / 1.3);
        y1 = fmax(y1, p->gflops);
    }
    axis_log(&s->x, x0, x1);
    axis_log(&s->y, y0, y1 * 1.2);
}

/* Keys flow over as many rows as they need; the height of all of them. NULL p only measures. */
static double draw_keys(const struct sheet *s, struct plot *p, double y)
{
    double x = s->left, row = y;
    for (size_t i = 0; i < s->r->n_keys; i++) {
        const struct chart_key *k = &s->r->keys[i];
        double width = 18 + plot_label_width(k->label, TEXT_SIZE) + 16;
        if (x + width > s->right && x > s->left) {
            x = s->left;
            row += 20;
        }
        if (p) {
            plot_box(p, (struct plot_point){x, row + 3}, (struct plot_point){x + 12, row + 14},
                     k->ink);
            say(p, x + 18, row + 13, k->label, PLOT_START);
        }
        x += width;
    }
    return row - y + (s->r->n_keys ? 22 : 0);
}

static void draw_axes(const struct sheet *s)
{
    for (size_t i = 0; i < s->x.n; i++) {
        double x = x_at(s, s->x.tick[i].at);
        plot_line(s->p, (struct plot_point){x, s->top}, (struct plot_point){x, s->bottom},
                  &grid_pen);
        say(s->p, x, s->bottom + 17, s->x.tick[i].label, PLOT_MIDDLE);
    }
    for (size_t i = 0; i < s->y.n; i++) {
        double y = y_at(s, s->y.tick[i].at);
        plot_line(s->p, (struct plot_point){s->left, y}, (struct plot_point){s->right, y},
                  &grid_pen);
        say(s->p, s->left - 6, y + 4, s->y.tick[i].label, PLOT_END);
    }
    plot_line(s->p, (struct plot_point){s->left, s->bottom},
              (struct plot_point){s->right, s->bottom}, &axis_pen);
    say(s->p, (s->left + s->right) / 2, s->bottom + 36, "operations a byte (FLOP/B)", PLOT_MIDDLE);
}

static void take(struct sheet *s, struct box b)
{
    if (s->n_taken < sizeof s->taken / sizeof *s->taken)
        s->taken[s->n_taken++] = b;
}

/* A line as a row of small boxes, which labels avoid. */
static void take_line(struct sheet *s, struct plot_point from, struct plot_point to)
{
    for (int i = 0; i < ROOF_BOXES; i++) {
        double part = (i + 0.5) / ROOF_BOXES;
        double x = from.x + (to.x - from.x) * part, y = from.y + (to.y - from.y) * part;
        take(s, (struct box){x - 6, y - 4, x + 6, y + 4});
    }
}

static void draw_roof(struct sheet *s)
{
    const struct roofline *r = s->r;
    double ridge = r->peak_gflops / r->gb_per_s, low = s->x.low;
    char text[96];
    if (low * r->gb_per_s < s->y.low)
        low = s->y.low / r->gb_per_s;
    struct plot_point roof[3] = {{x_at(s, low), y_at(s, low * r->gb_per_s)},
                                 {x_at(s, ridge), y_at(s, r->peak_gflops)},
                                 {s->right, y_at(s, r->peak_gflops)}};
    plot_lines(s->p, roof, 3, &roof_pen);
    take_line(s, roof[0], roof[1]);
    take_line(s, roof[1], roof[2]);
    snprintf(text, sizeof text, "peak %.4g GFLOP/s", r->peak_gflops);
    double above = roof[2].y - LARGEST - 5; /* no mark under the roof reaches so high */
    say(s->p, s->right, above, text, PLOT_END);
    take(s, (struct box){s->right - plot_label_width(text, TEXT_SIZE), above - 14, s->right,
                         above + 4});
    snprintf(text, sizeof text, "%.4g GB/s", r->gb_per_s);
    double x = (roof[0].x + roof[1].x) / 2, y = (roof[0].y + roof[1].y) / 2;
    say(s->p, x - 8, y - 6, text, PLOT_END);
    take(s, (struct box){x - 8 - plot_label_width(text, TEXT_SIZE), y - 20, x - 8, y});
}

/* cos and sin of 2 pi k / 16, by hand: the same bits everywhere. */
static const double quarter[5] = {1, 0.92387953, 0.70710678, 0.38268343, 0};

static struct plot_point corner(int k)
{
    int of = k % 4, turn = k / 4;
    double c = quarter[of], d = quarter[4 - of];
    struct plot_point p[4] = {{c, d}, {-d, c}, {-c, -d}, {d, -c}};
    return p[turn];
}

static double radius_of(const struct roofline_point *p)
{
    double share = p->share < 0 ? 0 : p->share > 1 ? 1 : p->share;
    return 4 + (LARGEST - 4) * sqrt(share);
}

static void draw_mark(struct sheet *s, const struct roofline_point *p)
{
    struct plot_point rim[CORNERS], line[CORNERS + 1];
    double x = x_at(s, p->flop_per_byte), y = y_at(s, p->gflops), r = radius_of(p);
    for (int k = 0; k < CORNERS; k++)
        line[k] = rim[k] = (struct plot_point){x + r * corner(k).x, y + r * corner(k).y};
    line[CORNERS] = line[0];
    plot_polygon(s->p, rim, CORNERS, p->ink);
    plot_lines(s->p, line, CORNERS + 1, &(struct plot_pen){.ink = PLOT_PAPER, .width = 1});
    take(s, (struct box){x - r, y - r, x + r, y + r});
}

static bool is_free(const struct sheet *s, struct box b)
{
    if (b.x0 < s->left || b.x1 > s->right || b.y0 < s->top)
        return false;
    for (size_t i = 0; i < s->n_taken; i++) {
        const struct box *t = &s->taken[i];
        if (b.x0 < t->x1 && t->x0 < b.x1 && b.y0 < t->y1 && t->y0 < b.y1)
            return false;
    }
    return true;
}

/* A label's box, `away` from the mark's middle: right, left, and both below and above that. */
static struct box beside(struct plot_point at, double width, double away, int side)
{
    double y = at.y + (side / 2 == 1 ? away : side / 2 == 2 ? -away : 0);
    double x = side % 2 == 0 ? at.x + away : at.x - away - width;
    return (struct box){x, y - 10, x + width, y + 6};
}

static void draw_leader(struct sheet *s, const struct roofline_point *p, struct plot_point to)
{
    double x = x_at(s, p->flop_per_byte), y = y_at(s, p->gflops);
    double length = sqrt((to.x - x) * (to.x - x) + (to.y - y) * (to.y - y));
    double rim = radius_of(p) / length;
    struct plot_point from = {x + (to.x - x) * rim, y + (to.y - y) * rim};
    plot_line(s->p, from, to, &axis_pen);
    take_line(s, from, to);
}

/* Beside the mark; one of those that are to be named further away too, with a line to it; where
 * there is no room at all, nowhere. */
static void draw_label(struct sheet *s, const struct roofline_point *p, bool far)
{
    struct plot_point at = {x_at(s, p->flop_per_byte), y_at(s, p->gflops)};
    double gap = radius_of(p) + 5, width = plot_label_width(p->label, TEXT_SIZE);
    for (int step = 0; step < (far ? DISTANCES : 1); step++)
        for (int side = 0; side < (step ? 6 : 2); side++) {
            struct box b = beside(at, width, gap + 16 * step, side);
            bool to_right = side % 2 == 0;
            if (b.y1 > s->bottom || !is_free(s, b))
                continue;
            double x = to_right ? b.x0 : b.x1;
            if (step)
                draw_leader(s, p, (struct plot_point){to_right ? x - 3 : x + 3, b.y0 + 9});
            say(s->p, x, b.y0 + 14, p->label, to_right ? PLOT_START : PLOT_END);
            take(s, b);
            return;
        }
}

static int by_share(const void *a, const void *b)
{
    const struct roofline_point *x = *(const struct roofline_point *const *)a,
                                *y = *(const struct roofline_point *const *)b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return x < y ? -1 : x > y;
}

/* Large marks first, so that small ones lie on them. */
static void draw_points(struct sheet *s)
{
    const struct roofline_point *order[MARKS_MAX];
    size_t n = s->r->n < MARKS_MAX ? s->r->n : MARKS_MAX;
    for (size_t i = 0; i < n; i++)
        order[i] = &s->r->points[i];
    qsort(order, n, sizeof *order, by_share);
    for (size_t i = 0; i < n; i++)
        draw_mark(s, order[i]);
    for (size_t i = 0; i < n && i < LABELS; i++)
        draw_label(s, order[i], i < NAMED);
}

int roofline_draw(const struct roofline *r, struct text *to, struct err *e)
{
    assert(r && r->n > 0 && r->peak_gflops > 0 && r->gb_per_s > 0 && r->frame.width >= 300);
    struct sheet s = {.r = r, .left = 64, .right = r->frame.width - 14};
    make_axes(&s);
    double head = 26 + draw_keys(&s, NULL, 26);
    s.top = head + 22;
    s.bottom = s.top + PLOT_HEIGHT;
    s.p = chart_open(&r->frame, s.bottom + 46, e);
    if (!s.p)
        return -1;
    plot_label(s.p, (struct plot_point){s.left, 16}, r->heading,
               &(struct plot_type){.ink = PLOT_TITLE, .size = TEXT_SIZE, .bold = true});
    say(s.p, 6, s.top - 12, "GFLOP/s", PLOT_START);
    draw_keys(&s, s.p, 26);
    draw_axes(&s);
    draw_roof(&s);
    draw_points(&s);
    return plot_close(s.p, to, e);
}
