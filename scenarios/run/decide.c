/* decide: running conformance cases, one by one or many on several threads. */
#include "scenarios/run/decide.h"

#include "scenarios/run/decide_hpa.h"
#include "scenarios/run/decide_keda.h"
#include "scenarios/run/decide_kpa.h"
#include "scenarios/run/decide_node.h"
#include "scenarios/run/decide_read.h"
#include "sim/arena.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- one case ---- */

static const struct decide_kind *const groups[] = {decide_hpa_kinds, decide_node_kinds,
                                                   decide_kpa_kinds, decide_keda_kinds};
#define N_GROUPS (sizeof groups / sizeof groups[0])
#define MOST_KINDS 128

static const struct decide_kind *find_kind(const char *name)
{
    for (size_t g = 0; g < N_GROUPS; g++)
        for (const struct decide_kind *k = groups[g]; k->kind; k++)
            if (*k->kind == *name && strcmp(k->kind, name) == 0)
                return k;
    return NULL;
}

static void unknown_kind(const struct json *kind, struct err *e)
{
    const char *names[MOST_KINDS];
    size_t n = 0;
    for (size_t g = 0; g < N_GROUPS; g++)
        for (const struct decide_kind *k = groups[g]; k->kind && n < MOST_KINDS; k++)
            names[n++] = k->kind;
    const char *near = text_nearest(kind->string, names, n);
    decide_read_fail(kind, "kind", e, "'%s' is unknown%s%s%s", kind->string,
                     near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
}

static void put_string(struct text *line, const char *s)
{
    struct json_out o;
    json_out_init(&o, line, true);
    json_out_string(&o, s);
}

static void put_head(struct text *line, const struct json *c)
{
    text_add(line, "{\"name\":");
    put_string(line, json_text_at(c, "name", NULL));
    text_add(line, ",\"kind\":");
    put_string(line, json_text_at(c, "kind", NULL));
}

/* The case's own parts; its kind's function reads the rest. */
static const struct decide_kind *check_case(const struct json *c, struct err *e)
{
    const struct json *expect = json_get(c, "expect");
    const char *kind = NULL;
    if (c->type != JSON_OBJECT)
        decide_read_fail(c, "case", e, "%s, but must be an object", json_type_name(c->type));
    else if (decide_read_string(c, "name", e))
        kind = decide_read_string(c, "kind", e);
    if (!kind)
        return NULL;
    const struct decide_kind *k = find_kind(kind);
    if (!k)
        unknown_kind(json_get(c, "kind"), e);
    else if (expect && expect->type != JSON_OBJECT && expect->type != JSON_NULL)
        decide_read_fail(expect, "expect", e, "%s, but must be an object",
                         json_type_name(expect->type));
    else if (decide_read_object(c, "input", e))
        return k;
    return NULL;
}

static void put_error(struct text *line, const struct err *e)
{
    struct text words = {0};
    text_printf(&words, "%s%s%s", e->where, e->where[0] ? ": " : "", e->msg);
    text_add(line, ",\"error\":");
    put_string(line, words.s);
    text_add(line, "}\n");
    text_fini(&words);
}

enum decide_verdict decide_case(const struct json *c, struct text *line, struct err *e)
{
    struct text result = {0}, reason = {0};
    struct json_out out;
    const struct json *expect = json_get(c, "expect");
    const struct decide_kind *k = check_case(c, e);
    struct decide_trial trial = {
        .input = json_get(c, "input"),
        .expect = expect && expect->type == JSON_OBJECT ? expect : NULL,
        .result = &out,
        .reason = &reason,
    };
    enum decide_verdict verdict = DECIDE_BAD;
    put_head(line, c);
    json_out_init(&out, &result, true);
    if (k && k->run(&trial, e) == 0) {
        verdict = !trial.expect ? DECIDE_DONE : trial.pass ? DECIDE_PASSED : DECIDE_FAILED;
        if (trial.expect)
            text_add(line, trial.pass ? ",\"pass\":true" : ",\"pass\":false");
        text_add(line, ",\"result\":");
        text_add(line, result.s ? result.s : "null");
        text_add(line, ",\"reason\":");
        put_string(line, reason.s ? reason.s : "");
        text_add(line, "}\n");
    } else {
        put_error(line, e);
    }
    line->failed |= result.failed | reason.failed;
    text_fini(&result);
    text_fini(&reason);
    return verdict;
}

/* ---- finding the cases ---- */

/* Cases are cut out of the text and read one by one: a whole tree of a large file would be many
 * times its size. What is left of the text, with blanks in their place, is read as usual. */
struct scan {
    const char *text;
    size_t at, length;
    uint32_t line, column;
};

struct span {
    size_t from, length;
    uint32_t line, column;
};

struct spans {
    struct span *items;
    size_t n, cap;
};

static int peek(const struct scan *s)
{
    return s->at < s->length ? (unsigned char)s->text[s->at] : -1;
}

static void step(struct scan *s)
{
    unsigned char c = (unsigned char)s->text[s->at++];
    if (c == '\n') {
        s->line++;
        s->column = 1;
    } else if ((c & 0xC0) != 0x80) {
        s->column++;
    }
}

static int skip_blanks(struct scan *s)
{
    while (peek(s) == ' ' || peek(s) == '\n' || peek(s) == '\r' || peek(s) == '\t')
        step(s);
    return peek(s);
}

/* Most of a string: letters that are nothing else and one column wide. */
static void skip_plain(struct scan *s)
{
    const char *p = s->text + s->at, *end = s->text + s->length;
    while (p < end && *p >= ' ' && *p != '"' && *p != '\\')
        p++;
    s->column += (uint32_t)((size_t)(p - s->text) - s->at);
    s->at = (size_t)(p - s->text);
}

static bool skip_string(struct scan *s)
{
    for (step(s); skip_plain(s), peek(s) != '"'; step(s)) {
        if (peek(s) == '\\')
            step(s);
        if (peek(s) < 0)
            return false;
    }
    step(s);
    return true;
}

/* Goes on with a number or a word. */
static bool is_scalar(int c)
{
    return c > ' ' && c != ',' && c != ':' && c != ']' && c != '}' && c != '[' && c != '{' &&
           c != '"';
}

/* Over one value, by its brackets and strings alone. False at the end of the text. */
static bool skip_value(struct scan *s)
{
    size_t depth = 0;
    do {
        int c = peek(s);
        if (c < 0)
            return false;
        if (c == '"') {
            if (!skip_string(s))
                return false;
            continue;
        }
        if (depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}'))
            return false;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        step(s);
        if (depth == 0 && c != '}' && c != ']')
            while (is_scalar(peek(s)))
                step(s);
    } while (depth > 0);
    return true;
}

static int keep(struct spans *list, struct span one, struct err *e)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 64;
        struct span *more = realloc(list->items, cap * sizeof *more);
        if (!more)
            return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu cases", cap);
        list->items = more;
        list->cap = cap;
    }
    list->items[list->n++] = one;
    return 0;
}

/* One value into the list. 1 on success, 0 when the text is not what it seems, -1 on errors. */
static int take(struct scan *s, struct spans *list, struct err *e)
{
    struct span one = {s->at, 0, s->line, s->column};
    if (!skip_value(s))
        return 0;
    one.length = s->at - one.from;
    return keep(list, one, e) ? -1 : 1;
}

static int take_array(struct scan *s, struct spans *list, struct err *e)
{
    step(s);
    if (skip_blanks(s) == ']') {
        step(s);
        return 1;
    }
    for (;;) {
        int rc = skip_blanks(s) < 0 ? 0 : take(s, list, e);
        if (rc != 1)
            return rc;
        int c = skip_blanks(s);
        if (c != ',' && c != ']')
            return 0;
        step(s);
        if (c == ']')
            return 1;
    }
}

/* The elements of the member "cases"; every other member stays for the frame. */
static int take_members(struct scan *s, struct spans *list, bool *found, struct err *e)
{
    step(s);
    while (skip_blanks(s) == '"') {
        const char *key = s->text + s->at;
        if (!skip_string(s))
            return 0;
        bool cases = (size_t)(s->text + s->at - key) == 7 && memcmp(key, "\"cases\"", 7) == 0;
        if (skip_blanks(s) != ':')
            return 0;
        step(s);
        bool array = skip_blanks(s) == '[' && cases && !*found;
        int rc = array ? take_array(s, list, e) : skip_value(s);
        *found |= array;
        if (rc != 1)
            return rc;
        if (skip_blanks(s) == ',')
            step(s);
    }
    return 1;
}

/* Objects one after another. */
static int take_stream(struct scan *s, struct spans *list, struct err *e)
{
    int rc = 1;
    while (rc == 1 && skip_blanks(s) == '{')
        rc = take(s, list, e);
    return rc == 1 && peek(s) >= 0 ? 0 : rc;
}

/* Finds the cases. *framed: they stand inside an object or list, the rest of which must be right.
 * A text that is not what it seems comes out as one span of everything, for the parser to refuse.
 */
static int find_cases(const struct decide_source *source, struct spans *list, bool *framed,
                      struct err *e)
{
    struct scan start = {source->text, 0, source->length, 1, 1};
    if (start.length >= 3 && memcmp(start.text, "\xEF\xBB\xBF", 3) == 0)
        start.at = 3;
    bool found = false;
    int c = skip_blanks(&start), rc = 0;
    struct scan s = start;
    *framed = true;
    if (c == '[') {
        rc = take_array(&s, list, e);
    } else if (c == '{') {
        rc = take_members(&s, list, &found, e);
        if (rc == 1 && !found) {
            list->n = 0;
            *framed = false;
            s = start;
            rc = take_stream(&s, list, e);
        }
    }
    if (rc == 0) {
        list->n = 0;
        *framed = false;
        rc = keep(list, (struct span){start.at, start.length - start.at, start.line, start.column},
                  e);
    }
    return rc < 0 ? -1 : 0;
}

/* The text without its cases and the commas between them. Line breaks stay, and blanks for what
 * stood after the last one, so that places behind the cases are right. */
static char *cut_cases(const struct decide_source *source, const struct spans *list,
                       struct arena *a, size_t *length, struct err *e)
{
    char *left = arena_take(a, source->length + 1, 1, e);
    size_t n = 0, from = source->length, to = source->length, blanks = 0;
    if (!left)
        return NULL;
    if (list->n > 0) {
        from = list->items[0].from;
        to = list->items[list->n - 1].from + list->items[list->n - 1].length;
    }
    memcpy(left, source->text, from);
    n = from;
    for (size_t i = from; i < to; i++) {
        bool line_ends = source->text[i] == '\n';
        blanks = line_ends ? 0 : blanks + 1;
        if (line_ends)
            left[n++] = '\n';
    }
    memset(left + n, ' ', blanks);
    n += blanks;
    memcpy(left + n, source->text + to, source->length - to);
    *length = n + source->length - to;
    return left;
}

static int check_frame(const struct decide_source *source, const struct spans *list, struct err *e)
{
    struct arena *a = arena_create(e);
    size_t length = 0;
    char *left = a ? cut_cases(source, list, a, &length, e) : NULL;
    struct json *frame = left ? json_parse(a, source->file, left, length, e) : NULL;
    const struct json *format = json_get(frame, "format");
    if (format && (format->type != JSON_NUMBER || format->number != 1))
        decide_read_fail(format, "format", e, "must be 1");
    arena_destroy(a);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- many cases ---- */

#define CHUNK 64

/* Results of CHUNK cases in a row. */
struct chunk {
    struct text lines, complaints;
    struct decide_tally tally;
    bool done;
};

struct work {
    const struct decide_source *source;
    const struct spans *list;
    struct chunk *chunks;
    size_t n_chunks;
    pthread_mutex_t lock; /* guards next and every done */
    pthread_cond_t ready;
    size_t next;
};

static void complain(struct chunk *k, const struct json *c, const struct err *e)
{
    const struct json *name = json_get(c, "name");
    bool named = name && name->type == JSON_STRING;
    text_printf(&k->complaints, "%s%s%s%s%s%s\n", e->where, e->where[0] ? ": " : "",
                named ? "case '" : "", named ? name->string : "", named ? "': " : "", e->msg);
}

static void run_one(const struct work *w, const struct span *at, struct arena *a, struct chunk *k)
{
    struct err e = {0};
    struct json_part part = {w->source->file, w->source->text + at->from, at->length, at->line,
                             at->column};
    struct json *c = json_parse_part(a, &part, &e);
    enum decide_verdict v = DECIDE_BAD;
    if (c) {
        v = decide_case(c, &k->lines, &e);
    } else {
        text_add(&k->lines, "{\"name\":null,\"kind\":null");
        put_error(&k->lines, &e);
    }
    k->tally.cases++;
    k->tally.passed += v == DECIDE_PASSED;
    k->tally.failed += v == DECIDE_FAILED;
    k->tally.bad += v == DECIDE_BAD;
    if (v == DECIDE_BAD)
        complain(k, c, &e);
    arena_clear(a);
}

static void run_chunk(struct work *w, size_t number)
{
    size_t from = number * CHUNK;
    size_t to = from + CHUNK < w->list->n ? from + CHUNK : w->list->n;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    w->chunks[number].lines.failed = !a;
    for (size_t i = from; a && i < to; i++)
        run_one(w, &w->list->items[i], a, &w->chunks[number]);
    arena_destroy(a);
}

static void *worker(void *self)
{
    struct work *w = self;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        size_t mine = w->next++;
        pthread_mutex_unlock(&w->lock);
        if (mine >= w->n_chunks)
            return NULL;
        run_chunk(w, mine);
        pthread_mutex_lock(&w->lock);
        w->chunks[mine].done = true;
        pthread_cond_signal(&w->ready);
        pthread_mutex_unlock(&w->lock);
    }
}

static int hand_over(struct chunk *k, decide_sink *sink, void *self, struct decide_tally *tally,
                     struct err *e)
{
    int rc = text_end(&k->lines, e) | text_end(&k->complaints, e);
    if (rc == 0 && k->complaints.length)
        sink(self, k->complaints.s, k->complaints.length, true);
    if (rc == 0 && k->lines.length)
        sink(self, k->lines.s, k->lines.length, false);
    tally->cases += k->tally.cases;
    tally->passed += k->tally.passed;
    tally->failed += k->tally.failed;
    tally->bad += k->tally.bad;
    text_fini(&k->lines);
    text_fini(&k->complaints);
    return rc;
}

#define MOST_THREADS 64

/* This thread gathers in order, or works alone when no other could be started. */
static int run_all(struct work *w, decide_sink *sink, void *self, struct decide_tally *tally,
                   struct err *e)
{
    pthread_t threads[MOST_THREADS];
    unsigned want = w->source->threads < MOST_THREADS ? w->source->threads : MOST_THREADS;
    unsigned n = 0;
    int rc = 0;
    while (want > 1 && n < want && n < w->n_chunks &&
           pthread_create(&threads[n], NULL, worker, w) == 0)
        n++;
    for (size_t i = 0; i < w->n_chunks; i++) {
        if (n == 0) {
            run_chunk(w, i);
        } else {
            pthread_mutex_lock(&w->lock);
            while (!w->chunks[i].done)
                pthread_cond_wait(&w->ready, &w->lock);
            pthread_mutex_unlock(&w->lock);
        }
        rc |= hand_over(&w->chunks[i], sink, self, tally, e);
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return rc;
}

int decide_text(const struct decide_source *source, decide_sink *sink, void *self,
                struct decide_tally *tally, struct err *e)
{
    assert(source->threads >= 1);
    struct spans list = {0};
    bool framed;
    int rc = find_cases(source, &list, &framed, e);
    if (rc == 0 && framed)
        rc = check_frame(source, &list, e);
    struct work w = {.source = source, .list = &list, .n_chunks = (list.n + CHUNK - 1) / CHUNK};
    if (rc == 0) {
        w.chunks = decide_read_room(w.n_chunks, sizeof *w.chunks, e);
        pthread_mutex_init(&w.lock, NULL);
        pthread_cond_init(&w.ready, NULL);
        rc = w.chunks ? run_all(&w, sink, self, tally, e) : -1;
        pthread_cond_destroy(&w.ready);
        pthread_mutex_destroy(&w.lock);
    }
    free(w.chunks);
    free(list.items);
    return rc;
}
