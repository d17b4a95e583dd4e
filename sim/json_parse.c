/* json_parse: the one door to cJSON, with the checks it lacks.
 *
 * cJSON keeps no places and accepts more than JSON: control characters as blanks and inside
 * strings, "01", repeated keys, text after the document, 1e999. So one strict walk goes over the
 * text and makes a node with its place of each value; what takes decoding, a string with escapes,
 * is handed to cJSON once it is known to be right. A tree of cJSON's own for the whole text, walked
 * in step, took three times as long. */
#include "sim/json.h"

#include "sim/arena.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* cJSON copies a number into 64 bytes and takes it as ended after 63 characters. */
#define NUMBER_LONGEST 63

struct walk {
    const char *file;
    const char *p, *end;
    const char *line_start;
    size_t hidden; /* continuation bytes of UTF-8 since line_start: columns count characters */
    uint32_t line;
    int depth;
    size_t nodes;
    struct arena *arena;
    struct err *e;
};

static struct json *walk_value(struct walk *w);

static int peek(const struct walk *w)
{
    return w->p < w->end ? (unsigned char)*w->p : -1;
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static uint32_t walk_column(const struct walk *w)
{
    return (uint32_t)((size_t)(w->p - w->line_start) - w->hidden + 1);
}

static int walk_fail(const struct walk *w, const char *msg)
{
    char where[512];
    snprintf(where, sizeof where, "%s:%u:%u", w->file, (unsigned)w->line, (unsigned)walk_column(w));
    return err_set(w->e, ERR_INPUT, where, "%s", msg);
}

/* What stands at the place, for a message. */
static void describe(const struct walk *w, char *buf, size_t size)
{
    int c = peek(w);
    size_t n = 1;
    if (c < 0) {
        snprintf(buf, size, "the end of the text");
        return;
    }
    if (is_letter(c))
        while (n < 24 && w->p + n < w->end && (is_letter(w->p[n]) || is_digit(w->p[n])))
            n++;
    else
        n = text_character(w->p, w->end);
    if (c < 0x20 || c == 0x7F || n == 0)
        snprintf(buf, size, "byte 0x%02X%s", (unsigned)c, n ? "" : ", which is not UTF-8");
    else
        snprintf(buf, size, "'%.*s'", (int)n, w->p);
}

/* What a user probably meant who wrote what stands at the place. */
static const char *hint(const char *found)
{
    static const char *const hints[][2] = {
        {"'nan'", "; JSON has no NaN"},
        {"'infinity'", "; JSON has no infinity"},
        {"'inf'", "; JSON has no infinity"},
        {"'true'", "; JSON writes true in small letters"},
        {"'false'", "; JSON writes false in small letters"},
        {"'none'", "; JSON writes null"},
        {"'null'", "; JSON writes null in small letters"},
        {"'/'", "; JSON has no comments"},
        {"'#'", "; JSON has no comments"},
        {"'''", "; JSON takes double quotes"},
        {"'+'", "; a JSON number has no plus sign"},
        {"'.'", "; a JSON number needs a digit before the point"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strcasecmp(found, hints[i][0]) == 0)
            return hints[i][1];
    return "";
}

static int walk_expected(const struct walk *w, const char *what)
{
    char found[64], msg[256];
    describe(w, found, sizeof found);
    snprintf(msg, sizeof msg, "found %s, expected %s%s", found, what, hint(found));
    return walk_fail(w, msg);
}

/* After a member or element: says where the thing begins that the text's end leaves open. */
static int walk_unclosed(const struct walk *w, const char *what, uint32_t line)
{
    char msg[128];
    if (peek(w) >= 0)
        return walk_expected(w, what);
    snprintf(msg, sizeof msg, "%s to close what begins on line %u", what, (unsigned)line);
    return walk_expected(w, msg);
}

static void walk_blanks(struct walk *w)
{
    for (; w->p < w->end; w->p++) {
        if (*w->p == '\n') {
            w->line++;
            w->line_start = w->p + 1;
            w->hidden = 0;
        } else if (*w->p != ' ' && *w->p != '\t' && *w->p != '\r') {
            return;
        }
    }
}

static int walk_word(struct walk *w, const char *word)
{
    size_t n = strlen(word);
    bool longer = (size_t)(w->end - w->p) > n && (is_letter(w->p[n]) || is_digit(w->p[n]));
    if ((size_t)(w->end - w->p) < n || memcmp(w->p, word, n) != 0 || longer)
        return walk_expected(w, "a value");
    w->p += n;
    return 0;
}

static int walk_digits(struct walk *w)
{
    if (!is_digit(peek(w)))
        return walk_expected(w, "a digit");
    while (is_digit(peek(w)))
        w->p++;
    return 0;
}

/* Most numbers: up to 15 digits alone, which a double holds exactly. */
static bool small_whole(const char *digits, size_t n, double *value)
{
    int64_t v = 0;
    if (n > 15)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(digits[i]))
            return false;
        v = v * 10 + (digits[i] - '0');
    }
    *value = (double)v;
    return true;
}

static int walk_number(struct walk *w, char digits[NUMBER_LONGEST + 1], double *value)
{
    const struct walk begin = *w;
    char msg[128];
    w->p += peek(w) == '-';
    if (peek(w) == '0' && w->p + 1 < w->end && is_digit(w->p[1]))
        return walk_fail(&begin, "a number must not begin with 0 and a further digit");
    if (walk_digits(w))
        return -1;
    if (peek(w) == '.') {
        w->p++;
        if (walk_digits(w))
            return -1;
    }
    if (peek(w) == 'e' || peek(w) == 'E') {
        w->p++;
        w->p += peek(w) == '+' || peek(w) == '-';
        if (walk_digits(w))
            return -1;
    }
    size_t n = (size_t)(w->p - begin.p);
    if (n > NUMBER_LONGEST) {
        snprintf(msg, sizeof msg, "a number of %zu characters; at most %d are read", n,
                 NUMBER_LONGEST);
        return walk_fail(&begin, msg);
    }
    memcpy(digits, begin.p, n);
    digits[n] = '\0';
    if (small_whole(digits, n, value) || text_parse_double(digits, value))
        return 0;
    snprintf(msg, sizeof msg, "the number %s is too large for a double", digits);
    return walk_fail(&begin, msg);
}

/* Four hex digits at s, or -1. */
static int hex4(const char *s, const char *end)
{
    int v = 0;
    if (end - s < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *found = s[i] ? strchr("0123456789abcdefABCDEF", s[i]) : NULL;
        if (!found)
            return -1;
        int digit = is_digit(s[i]) ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10;
        v = v * 16 + digit;
    }
    return v;
}

/* At the backslash of "\u". */
static int walk_unicode(struct walk *w)
{
    int c = hex4(w->p + 2, w->end);
    if (c < 0)
        return walk_fail(w, "\\u needs four hexadecimal digits");
    if (c == 0)
        return walk_fail(w, "\\u0000 in a string; a text must not hold a NUL character");
    if (c >= 0xDC00 && c <= 0xDFFF)
        return walk_fail(w, "\\u names the second half of a surrogate pair without its first");
    w->p += 6;
    if (c < 0xD800 || c > 0xDBFF)
        return 0;
    int low = w->end - w->p >= 6 && w->p[0] == '\\' && w->p[1] == 'u' ? hex4(w->p + 2, w->end) : -1;
    if (low < 0xDC00 || low > 0xDFFF)
        return walk_fail(w, "expected the second half of a surrogate pair, \\uDC00 to \\uDFFF");
    w->p += 6;
    return 0;
}

static int walk_escape(struct walk *w)
{
    int c = w->p + 1 < w->end ? (unsigned char)w->p[1] : -1;
    if (c == 'u')
        return walk_unicode(w);
    if (c <= 0 || !strchr("\"\\/bfnrt", c))
        return walk_fail(w, "a backslash must be followed by one of \" \\ / b f n r t u");
    w->p += 2;
    return 0;
}

/* ASCII that stands for itself in a string: all but the quote, the backslash and DEL. A table,
 * since most of a document is such. */
/* clang-format off */
static const bool plain[256] = {
    [0x20] = 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    [0x30] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    [0x40] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    [0x50] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1,
    [0x60] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    [0x70] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0,
};
/* clang-format on */

static bool is_plain(char c)
{
    return plain[(unsigned char)c];
}

static const char *no_memory(const struct walk *w)
{
    err_set(w->e, ERR_SYSTEM, w->file, "out of memory while reading JSON");
    return NULL;
}

/* A literal that is known to be right, with its quotes. */
static const char *decode(struct walk *w, const char *literal, size_t length)
{
    cJSON *item = cJSON_ParseWithLength(literal, length);
    if (!item)
        return no_memory(w);
    assert(cJSON_IsString(item));
    char *text = arena_text(w->arena, item->valuestring, strlen(item->valuestring), w->e);
    cJSON_Delete(item);
    return text;
}

/* What stands in a string for something else, or in more than one byte. */
static int walk_special(struct walk *w, const struct walk *begin)
{
    int c = peek(w);
    if (c < 0)
        return walk_fail(begin, "the string that begins here is never closed, expected '\"'");
    if (c == '\n' || c == '\r')
        return walk_fail(w, "the line ends inside a string, expected '\"' (or \\n)");
    if (c == 0)
        return walk_fail(w, "byte 0x00 in a string; a text must not hold a NUL character");
    if (c < 0x20)
        return walk_expected(w, "it as \\u00XX inside a string");
    if (c == '\\')
        return walk_escape(w);
    size_t n = text_character(w->p, w->end);
    if (n == 0)
        return walk_expected(w, "UTF-8 text");
    w->p += n;
    w->hidden += n - 1;
    return 0;
}

/* At the opening quote. NULL on errors. */
static const char *walk_string(struct walk *w)
{
    const struct walk begin = *w;
    bool escapes = false;
    w->p++;
    for (;;) {
        const char *p = w->p;
        while (p < w->end && is_plain(*p))
            p++;
        w->p = p;
        if (peek(w) == '"')
            break;
        escapes |= peek(w) == '\\';
        if (walk_special(w, &begin))
            return NULL;
    }
    w->p++;
    size_t length = (size_t)(w->p - begin.p);
    return escapes ? decode(w, begin.p, length)
                   : arena_text(w->arena, begin.p + 1, length - 2, w->e);
}

/* Enters an array or object; counts levels before anything recurses. */
static int walk_enter(struct walk *w)
{
    char msg[64];
    if (w->depth == JSON_MAX_DEPTH) {
        snprintf(msg, sizeof msg, "nested deeper than %d levels", JSON_MAX_DEPTH);
        return walk_fail(w, msg);
    }
    w->depth++;
    w->p++;
    walk_blanks(w);
    return 0;
}

/* The comma between two members, or the closing brace: 1, 0, -1 on errors. */
static int walk_more(struct walk *w, char close, uint32_t line)
{
    walk_blanks(w);
    if (peek(w) == close)
        return 0;
    if (peek(w) != ',')
        return walk_unclosed(w, close == '}' ? "',' or '}'" : "',' or ']'", line);
    w->p++;
    walk_blanks(w);
    if (peek(w) == close) {
        walk_expected(w, close == '}' ? "another key after the comma"
                                      : "another value after the comma");
        return -1;
    }
    return 1;
}

static int walk_array(struct walk *w, struct json *node)
{
    uint32_t line = w->line;
    if (walk_enter(w))
        return -1;
    int more = peek(w) != ']';
    while (more == 1) {
        struct json *made = walk_value(w);
        if (!made)
            return -1;
        json_append(node, made);
        more = walk_more(w, ']', line);
    }
    if (more < 0)
        return -1;
    w->p++;
    w->depth--;
    return 0;
}

/* "key" : value */
static int walk_member(struct walk *w, struct json *object)
{
    uint32_t line = w->line, column = walk_column(w);
    if (peek(w) != '"')
        return walk_expected(w, "a key in double quotes");
    const char *key = walk_string(w);
    if (!key)
        return -1;
    walk_blanks(w);
    if (peek(w) != ':')
        return walk_expected(w, "':' after the key");
    w->p++;
    walk_blanks(w);
    struct json *made = walk_value(w);
    if (!made)
        return -1;
    made->key = key;
    made->key_line = line;
    made->key_column = column;
    json_append(object, made);
    return 0;
}

static int walk_object(struct walk *w, struct json *node)
{
    uint32_t line = w->line;
    if (walk_enter(w))
        return -1;
    int more = peek(w) != '}';
    while (more == 1) {
        if (walk_member(w, node))
            return -1;
        more = walk_more(w, '}', line);
    }
    if (more < 0)
        return -1;
    w->p++;
    w->depth--;
    return json_check_keys(node, w->e);
}

static int walk_number_value(struct walk *w, struct json *node)
{
    char digits[NUMBER_LONGEST + 1];
    if (walk_number(w, digits, &node->number))
        return -1;
    node->string = arena_text(w->arena, digits, strlen(digits), w->e);
    return node->string ? 0 : -1;
}

static enum json_type type_at(const struct walk *w)
{
    switch (peek(w)) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

static int walk_content(struct walk *w, struct json *node)
{
    switch (node->type) {
    case JSON_OBJECT:
        return walk_object(w, node);
    case JSON_ARRAY:
        return walk_array(w, node);
    case JSON_STRING:
        node->string = walk_string(w);
        return node->string ? 0 : -1;
    case JSON_NUMBER:
        return walk_number_value(w, node);
    case JSON_BOOL:
        node->boolean = peek(w) == 't';
        return walk_word(w, node->boolean ? "true" : "false");
    case JSON_NULL:
        return walk_word(w, "null");
    }
    return -1;
}

/* NULL on errors. */
static struct json *walk_value(struct walk *w)
{
    enum json_type type = type_at(w);
    if (type == JSON_NUMBER && peek(w) != '-' && !is_digit(peek(w))) {
        walk_expected(w, "a value");
        return NULL;
    }
    if (w->nodes++ == JSON_MAX_NODES) {
        walk_fail(w, "too many values in one document");
        return NULL;
    }
    struct json *node = json_new(w->arena, type, w->file, w->line, walk_column(w), w->e);
    return node && walk_content(w, node) == 0 ? node : NULL;
}

static struct json *walk_document(struct walk *w)
{
    walk_blanks(w);
    if (peek(w) < 0) {
        walk_fail(w, "the document is empty, expected a value");
        return NULL;
    }
    struct json *root = walk_value(w);
    walk_blanks(w);
    if (root && peek(w) >= 0) {
        walk_expected(w, "nothing after the document's end");
        return NULL;
    }
    return root;
}

static int check_encoding(const struct walk *w, size_t length)
{
    char msg[64];
    if (length > JSON_MAX_BYTES) {
        snprintf(msg, sizeof msg, "longer than %u MiB", JSON_MAX_BYTES >> 20);
        return err_set(w->e, ERR_INPUT, w->file, "%s", msg);
    }
    if (length >= 2 && (memcmp(w->p, "\xFF\xFE", 2) == 0 || memcmp(w->p, "\xFE\xFF", 2) == 0))
        return walk_fail(w, "the text is UTF-16, expected UTF-8");
    return 0;
}

struct json *json_parse_part(struct arena *a, const struct json_part *part, struct err *e)
{
    assert(a && part->file && (part->text || part->length == 0) && part->column > 0 && e);
    char *name = arena_text(a, part->file, strlen(part->file), e);
    if (!name)
        return NULL;
    const char *text = part->length ? part->text : "";
    struct walk w = {.file = name,
                     .p = text,
                     .end = text + part->length,
                     .line = part->line,
                     .arena = a,
                     .e = e};
    w.line_start = text;
    w.hidden = (size_t)0 - (part->column - 1); /* characters before it count like shown ones */
    if (check_encoding(&w, part->length))
        return NULL;
    if (part->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        w.line_start = w.p += 3;
    return walk_document(&w);
}

struct json *json_parse(struct arena *a, const char *file, const char *text, size_t length,
                        struct err *e)
{
    struct json_part whole = {file, text, length, 1, 1};
    return json_parse_part(a, &whole, e);
}
