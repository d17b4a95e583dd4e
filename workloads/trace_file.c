/* trace_file: the lines of a text file, plain or packed by gzip or zstd. */
#include "workloads/trace_file.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK (1u << 16)

enum packing { PLAIN, GZIP, ZSTD };

struct trace_file {
    FILE *file;
    char *path;
    enum packing packing;
    bool file_ended;  /* nothing more to read from the disk */
    bool ended;       /* nothing more to unpack */
    bool member_open; /* inside a gzip member or a zstd frame */
    z_stream gzip;
    bool gzip_ready;
    ZSTD_DStream *zstd;

    unsigned char packed[CHUNK];
    size_t packed_head, packed_count;
    char text[CHUNK];
    size_t text_head, text_count;

    char *line;
    size_t line_capacity, line_number;
};

int trace_file_fault(const struct trace_file *f, size_t line, struct err *e, const char *fmt, ...)
{
    char where[512], msg[900];
    snprintf(where, sizeof where, "%s:%zu", f->path, line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    return err_set(e, ERR_INPUT, where, "%s", msg);
}

/* ---- bytes ---- */

/* Makes sure that packed bytes are there, unless the file has ended. */
static int read_packed(struct trace_file *f, struct err *e)
{
    if (f->packed_head < f->packed_count || f->file_ended) {
        return 0;
    }
    f->packed_head = 0;
    f->packed_count = fread(f->packed, 1, CHUNK, f->file);
    if (f->packed_count < CHUNK) {
        if (ferror(f->file)) {
            return err_set(e, ERR_SYSTEM, f->path, "cannot be read: %s", strerror(errno));
        }
        f->file_ended = true;
    }
    return 0;
}

static int cut_off(const struct trace_file *f, struct err *e)
{
    return err_set(e, ERR_INPUT, f->path, "the packed file is cut off");
}

static int unpack_plain(struct trace_file *f)
{
    f->text_count = f->packed_count - f->packed_head;
    memcpy(f->text, f->packed + f->packed_head, f->text_count);
    f->packed_head = f->packed_count;
    return 0;
}

static int unpack_gzip(struct trace_file *f, struct err *e)
{
    z_stream *z = &f->gzip;
    if (!f->member_open) {
        if (inflateReset(z) != Z_OK) {
            return err_set(e, ERR_SYSTEM, f->path, "no memory to unpack gzip");
        }
        f->member_open = true;
    }
    z->next_in = f->packed + f->packed_head;
    z->avail_in = (uInt)(f->packed_count - f->packed_head);
    z->next_out = (Bytef *)f->text;
    z->avail_out = CHUNK;
    int status = inflate(z, Z_NO_FLUSH);
    f->packed_head = f->packed_count - z->avail_in;
    f->text_count = CHUNK - z->avail_out;
    if (status == Z_STREAM_END) {
        f->member_open = false;
        return 0;
    }
    if (status == Z_MEM_ERROR) {
        return err_set(e, ERR_SYSTEM, f->path, "no memory to unpack gzip");
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
        return err_set(e, ERR_INPUT, f->path, "the gzip data are damaged: %s",
                       z->msg != NULL ? z->msg : "bad stream");
    }
    return 0;
}

static int unpack_zstd(struct trace_file *f, struct err *e)
{
    ZSTD_inBuffer in = {f->packed, f->packed_count, f->packed_head};
    ZSTD_outBuffer out = {f->text, CHUNK, 0};
    size_t status = ZSTD_decompressStream(f->zstd, &out, &in);
    if (ZSTD_isError(status)) {
        return err_set(e, ERR_INPUT, f->path, "the zstd data are damaged: %s",
                       ZSTD_getErrorName(status));
    }
    f->packed_head = in.pos;
    f->text_count = out.pos;
    f->member_open = status != 0;
    return 0;
}

/* More text, or f->ended. */
static int read_text(struct trace_file *f, struct err *e)
{
    f->text_head = f->text_count = 0;
    while (f->text_count == 0) {
        if (read_packed(f, e) != 0) {
            return -1;
        }
        bool no_more = f->packed_head == f->packed_count;
        if (no_more && !f->member_open) {
            f->ended = true;
            return 0;
        }
        int status = f->packing == PLAIN  ? unpack_plain(f)
                     : f->packing == GZIP ? unpack_gzip(f, e)
                                          : unpack_zstd(f, e);
        if (status != 0) {
            return -1;
        }
        if (no_more && f->text_count == 0 && f->member_open) {
            return cut_off(f, e);
        }
    }
    return 0;
}

/* ---- lines ---- */

static int grow_line(struct trace_file *f, size_t need, struct err *e)
{
    if (need > TRACE_FILE_MAX_LINE) {
        return trace_file_fault(f, f->line_number + 1, e, "the line is longer than %u bytes",
                                TRACE_FILE_MAX_LINE);
    }
    if (need + 1 <= f->line_capacity) {
        return 0;
    }
    size_t capacity = f->line_capacity == 0 ? 4096 : f->line_capacity * 2;
    while (capacity < need + 1) {
        capacity *= 2;
    }
    char *line = realloc(f->line, capacity);
    if (line == NULL) {
        return err_set(e, ERR_SYSTEM, f->path, "no memory for a line");
    }
    f->line = line;
    f->line_capacity = capacity;
    return 0;
}

/* Appends text up to the next LF; *whole when that was found. */
static int take_piece(struct trace_file *f, size_t *length, bool *whole, struct err *e)
{
    const char *from = f->text + f->text_head;
    size_t have = f->text_count - f->text_head;
    const char *end = memchr(from, '\n', have);
    size_t n = end != NULL ? (size_t)(end - from) : have;
    if (grow_line(f, *length + n, e) != 0) {
        return -1;
    }
    memcpy(f->line + *length, from, n);
    *length += n;
    f->text_head += n + (end != NULL);
    *whole = end != NULL;
    return 0;
}

static int check_line(const struct trace_file *f, size_t length, struct err *e)
{
    if (f->line_number == 1 && length >= 2 &&
        (memcmp(f->line, "\xFF\xFE", 2) == 0 || memcmp(f->line, "\xFE\xFF", 2) == 0)) {
        return trace_file_fault(f, 1, e, "the file is UTF-16; save it as UTF-8");
    }
    if (memchr(f->line, '\0', length) != NULL) {
        return trace_file_fault(f, f->line_number, e, "a NUL byte: this is no text file");
    }
    return 0;
}

int trace_file_next(struct trace_file *f, char **line, size_t *length, struct err *e)
{
    size_t n = 0;
    bool whole = false;
    while (!whole) {
        if (f->text_head == f->text_count && !f->ended && read_text(f, e) != 0) {
            return -1;
        }
        if (f->ended) {
            break;
        }
        if (take_piece(f, &n, &whole, e) != 0) {
            return -1;
        }
    }
    if (!whole && n == 0) {
        return 0;
    }
    f->line_number++;
    if (check_line(f, n, e) != 0) {
        return -1;
    }
    n -= n > 0 && f->line[n - 1] == '\r';
    f->line[n] = '\0';
    size_t mark = f->line_number == 1 && strncmp(f->line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    *line = f->line + mark;
    *length = n - mark;
    return 1;
}

size_t trace_file_line(const struct trace_file *f)
{
    return f->line_number;
}

const char *trace_file_path(const struct trace_file *f)
{
    return f->path;
}

/* ---- opening ---- */

static int open_regular(struct trace_file *f, struct err *e)
{
    struct stat about;
    f->file = fopen(f->path, "rb");
    if (f->file == NULL) {
        enum err_code code = errno == EMFILE || errno == ENFILE ? ERR_SYSTEM : ERR_INPUT;
        return err_set(e, code, f->path, "cannot be opened: %s", strerror(errno));
    }
    if (fstat(fileno(f->file), &about) != 0 || S_ISDIR(about.st_mode)) {
        return err_set(e, ERR_INPUT, f->path, "is a folder, not a file");
    }
    return 0;
}

static int open_packing(struct trace_file *f, struct err *e)
{
    if (read_packed(f, e) != 0) {
        return -1;
    }
    if (f->packed_count >= 2 && memcmp(f->packed, "\x1F\x8B", 2) == 0) {
        f->packing = GZIP;
        f->gzip_ready = inflateInit2(&f->gzip, 15 + 16) == Z_OK;
        f->member_open = true;
        return f->gzip_ready ? 0 : err_set(e, ERR_SYSTEM, f->path, "no memory to unpack gzip");
    }
    if (f->packed_count >= 4 && memcmp(f->packed, "\x28\xB5\x2F\xFD", 4) == 0) {
        f->packing = ZSTD;
        f->zstd = ZSTD_createDStream();
        return f->zstd != NULL ? 0 : err_set(e, ERR_SYSTEM, f->path, "no memory to unpack zstd");
    }
    return 0;
}

struct trace_file *trace_file_open(const char *path, struct err *e)
{
    assert(path != NULL);
    struct trace_file *f = calloc(1, sizeof *f);
    size_t size = strlen(path) + 1;
    if (f == NULL || (f->path = malloc(size)) == NULL) {
        free(f);
        (void)err_set(e, ERR_SYSTEM, path, "no memory to read the file");
        return NULL;
    }
    memcpy(f->path, path, size);
    if (open_regular(f, e) != 0 || open_packing(f, e) != 0) {
        trace_file_close(f);
        return NULL;
    }
    return f;
}

void trace_file_close(struct trace_file *f)
{
    if (f == NULL) {
        return;
    }
    if (f->file != NULL) {
        fclose(f->file);
    }
    if (f->gzip_ready) {
        inflateEnd(&f->gzip);
    }
    ZSTD_freeDStream(f->zstd);
    free(f->line);
    free(f->path);
    free(f);
}
