/* request_list: the times of single requests, read from the rows of a file. */
#include "workloads/request_list.h"

#include "sim/arena.h"
#include "sim/err.h"
#include "sim/json.h"
#include "workloads/csv.h"
#include "workloads/traffic_config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* While reading; `times` is freed by request_list_load. */
struct reading {
    const struct traffic_config *config;
    int64_t *times;
    size_t count, capacity;
    size_t out_of_order;
    enum stamp_kind kind;
};

static int grow(struct reading *r, struct err *e)
{
    if (r->count < r->capacity) {
        return 0;
    }
    size_t capacity = r->capacity == 0 ? 1024 : r->capacity * 2;
    int64_t *times = realloc(r->times, capacity * sizeof *times);
    if (times == NULL) {
        return err_set(e, ERR_SYSTEM, NULL, "no memory for %zu requests", capacity);
    }
    r->times = times;
    r->capacity = capacity;
    return 0;
}

static int check_stamp(struct reading *r, const struct trace_file *f, const char *text,
                       const struct stamp *stamp, struct err *e)
{
    size_t line = trace_file_line(f);
    int64_t limit = r->config->max_rows == 0 ? TRAFFIC_MAX_ROWS : r->config->max_rows;
    if ((int64_t)r->count >= limit) {
        return trace_file_fault(f, line, e, "more than %lld rows: raise maxRows", (long long)limit);
    }
    if (r->count == 0) {
        r->kind = stamp->kind;
        return 0;
    }
    if (stamp->kind != r->kind) {
        return trace_file_fault(f, line, e, "\"%.60s\" is %s; rows before have %s", text,
                                stamp_kind_name(stamp->kind), stamp_kind_name(r->kind));
    }
    if (stamp->ns < r->times[r->count - 1]) {
        r->out_of_order++;
        if (r->config->disorder == TRAFFIC_REFUSE_DISORDER) {
            return trace_file_fault(f, line, e,
                                    "\"%.60s\" is earlier than the row before; \"disorder\": "
                                    "\"sort\" allows it",
                                    text);
        }
    }
    return 0;
}

static int add_time(struct reading *r, const struct trace_file *f, const char *text, struct err *e)
{
    struct stamp stamp;
    if (!stamp_parse(text, (enum stamp_unit)r->config->time_unit, &stamp)) {
        return trace_file_fault(f, trace_file_line(f), e,
                                "\"%.60s\" is no time such as 600, 1709258400 or "
                                "2024-03-01T02:00:00Z",
                                text);
    }
    if (check_stamp(r, f, text, &stamp, e) != 0 || grow(r, e) != 0) {
        return -1;
    }
    r->times[r->count++] = stamp.ns;
    return 0;
}

/* ---- tables ---- */

static int read_table(struct reading *r, const char *path, struct err *e)
{
    struct csv csv;
    struct csv_wish wish = {r->config->time_column, NULL, false};
    int status = csv_open(&csv, path, &wish, e);
    while (status == 0) {
        struct csv_row row;
        int found = csv_next(&csv, &row, e);
        if (found != 1) {
            status = found;
            break;
        }
        status = add_time(r, csv.file, row.time, e);
    }
    csv_close(&csv);
    return status;
}

/* ---- JSON lines ---- */

static int add_object(struct reading *r, const struct trace_file *f, const struct json *o,
                      struct err *e)
{
    const char *key = r->config->time_column != NULL ? r->config->time_column : "timestamp";
    const struct json *v = json_get(o, key);
    if (v == NULL || (v->type != JSON_NUMBER && v->type != JSON_STRING)) {
        return trace_file_fault(f, trace_file_line(f), e,
                                "needs an object with the time under \"%.60s\"", key);
    }
    return add_time(r, f, v->string, e);
}

static int add_line(struct reading *r, const struct trace_file *f, const char *line, size_t length,
                    struct err *e)
{
    struct arena *a = arena_create(e);
    if (a == NULL) {
        return -1;
    }
    struct err inner = {0};
    const struct json *o = json_parse(a, trace_file_path(f), line, length, &inner);
    int status;
    if (o == NULL) {
        status = inner.code == ERR_SYSTEM
                     ? err_set(e, ERR_SYSTEM, NULL, "%s", inner.msg)
                     : trace_file_fault(f, trace_file_line(f), e, "%.600s", inner.msg);
    } else {
        status = add_object(r, f, o, e);
    }
    arena_destroy(a);
    return status;
}

static int read_json_lines(struct reading *r, const char *path, struct err *e)
{
    struct trace_file *f = trace_file_open(path, e);
    if (f == NULL) {
        return -1;
    }
    char *line;
    size_t length;
    int status;
    while ((status = trace_file_next(f, &line, &length, e)) == 1) {
        if (line[strspn(line, " \t")] != '\0' && add_line(r, f, line, length, e) != 0) {
            status = -1;
            break;
        }
    }
    trace_file_close(f);
    return status;
}

/* 1 when the first line that holds anything begins an object. */
static int is_json_lines(const char *path, struct err *e)
{
    struct trace_file *f = trace_file_open(path, e);
    if (f == NULL) {
        return -1;
    }
    char *line;
    size_t length;
    int status;
    do {
        status = trace_file_next(f, &line, &length, e);
    } while (status == 1 && line[strspn(line, " \t")] == '\0');
    int answer = status == 1 ? line[strspn(line, " \t")] == '{' : status;
    trace_file_close(f);
    return answer;
}

/* ---- all ---- */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int keep(struct request_list *l, struct arena *a, struct reading *r, const char *path,
                struct err *e)
{
    if (r->count == 0) {
        return err_set(e, ERR_INPUT, path, "the file has no rows");
    }
    if (r->out_of_order > 0) {
        qsort(r->times, r->count, sizeof *r->times, by_time);
    }
    if (r->times[r->count - 1] - r->times[0] > TRAFFIC_MAX_SPAN) {
        return err_set(e, ERR_INPUT, path, "the requests span more than 100 years");
    }
    int64_t *times = arena_take(a, r->count, sizeof *times, e);
    if (times == NULL) {
        return -1;
    }
    int64_t origin = r->kind == STAMP_OFFSET ? 0 : r->times[0];
    for (size_t i = 0; i < r->count; i++) {
        times[i] = r->times[i] - origin;
    }
    *l = (struct request_list){times, r->count, r->kind, origin, r->out_of_order};
    return 0;
}

int request_list_load(struct request_list *l, struct arena *a, const char *path,
                      const struct traffic_config *c, struct err *e)
{
    assert(path != NULL);
    struct reading r = {.config = c};
    int json = is_json_lines(path, e);
    int status = json < 0 ? -1 : json == 1 ? read_json_lines(&r, path, e) : read_table(&r, path, e);
    if (status == 0) {
        status = keep(l, a, &r, path, e);
    }
    free(r.times);
    return status;
}
