#include "engine/journal_store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/journal_row.h"

enum {
    VERSION = 1,
    APPLICATION = 0x637a6b00, /* "czk" and the version, which is told twice: here and as user_version */
    BUSY_MS = 10000,
    FREE_PAGES_MOST = 256, /* kept for what comes next */
    RESERVED_AT_ONCE = 64 << 10,
    ROOM_FACTOR = 4, /* free space must be so many times what is reserved: others need the rest */
};

enum statement { PUT, REPLACE, DELETE, GET, READ, STATEMENTS };

struct cuzk_journal_store {
    sqlite3 *writer, *reader, *tidier;
    int log_fd; /* of what is reserved; -1 until then */
    sqlite3_stmt *begin, *commit;
    sqlite3_stmt *statements[CUZK_JOURNAL_TABLES][STATEMENTS];
    unsigned log_pages;
};

static const char *const texts[CUZK_JOURNAL_TABLES][STATEMENTS] = {
    [CUZK_JOURNAL_TABLE_JOB] = {"INSERT INTO job VALUES (?1, ?2)",
                                "INSERT OR REPLACE INTO job VALUES (?1, ?2)", "DELETE FROM job WHERE id = ?1",
                                "SELECT body FROM job WHERE id = ?1", "SELECT body FROM job WHERE id = ?1"},
    [CUZK_JOURNAL_TABLE_REQUEST] = {"INSERT INTO request VALUES (?1, ?2)",
                                    "INSERT OR REPLACE INTO request VALUES (?1, ?2)",
                                    "DELETE FROM request WHERE id = ?1",
                                    "SELECT body FROM request WHERE id = ?1",
                                    "SELECT body FROM request WHERE id = ?1"},
};

static enum cuzk_status sql_error(sqlite3 *db, int code, const char *doing, struct cuzk_error *err)
{
    enum cuzk_status status;

    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:    /* a table that is not there: its page was lost */
    case SQLITE_READONLY: /* its head says so, damaged; the directory was written to just now */
        status = CUZK_INPUT;
        break;
    case SQLITE_NOMEM:
        status = CUZK_MEMORY;
        break;
    case SQLITE_CONSTRAINT:
        status = CUZK_EXISTS;
        break;
    default:
        status = CUZK_IO;
        break;
    }
    const char *const file = db != NULL ? sqlite3_db_filename(db, "main") : NULL;
    const char *const said = sqlite3_errstr(code), *const more = db != NULL ? sqlite3_errmsg(db) : said;

    return cuzk_error_set(err, status, "journal: %s%s%s: %s%s%s", file != NULL ? file : "",
                          file != NULL ? ": " : "", doing, said, strcmp(said, more) != 0 ? ": " : "",
                          strcmp(said, more) != 0 ? more : "");
}

static enum cuzk_status run(sqlite3 *db, const char *sql, struct cuzk_error *err)
{
    const int code = sqlite3_exec(db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? CUZK_OK : sql_error(db, code, sql, err);
}

static enum cuzk_status connect(const char *path, int flags, sqlite3 **out, struct cuzk_error *err)
{
    /* each connection is used by one thread at a time */
    const int code = sqlite3_open_v2(path, out, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

    if (code != SQLITE_OK)
        return sql_error(*out, code, "opening", err);
    sqlite3_busy_timeout(*out, BUSY_MS);
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_store_make(const char *path, struct cuzk_error *err)
{
    enum cuzk_status status;
    sqlite3 *db = NULL;
    char sql[512];

    /* auto_vacuum comes before the first table; rows are zeroed where they go, so that a salvage does not
     * find them. Only the rollback journal makes the new file durable without a log beside it. */
    snprintf(sql, sizeof sql,
             "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = DELETE;"
             "PRAGMA synchronous = FULL; BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d;"
             "CREATE TABLE job (id INTEGER PRIMARY KEY, body BLOB NOT NULL);"
             "CREATE TABLE request (id INTEGER PRIMARY KEY, body BLOB NOT NULL); COMMIT",
             APPLICATION + VERSION, VERSION);
    CUZK_TRY_OUT(connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db, err));
    status = run(db, sql, err);
out:
    sqlite3_close(db);
    return status;
}

/* The one number or text that a pragma answers. */
static enum cuzk_status ask(sqlite3 *db, const char *sql, int64_t *number, char *text, size_t room,
                            struct cuzk_error *err)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const unsigned char *const found = sqlite3_column_text(statement, 0);

        *number = sqlite3_column_int64(statement, 0);
        if (text != NULL)
            snprintf(text, room, "%s", found != NULL ? (const char *)found : "");
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK ? CUZK_OK : sql_error(db, code, sql, err);
}

static enum cuzk_status check_version(sqlite3 *db, struct cuzk_error *err)
{
    int64_t application = 0, version = 0;

    CUZK_TRY(ask(db, "PRAGMA application_id", &application, NULL, 0, err));
    CUZK_TRY(ask(db, "PRAGMA user_version", &version, NULL, 0, err));
    if (application == APPLICATION + VERSION && version == VERSION)
        return CUZK_OK;
    if (version > VERSION && version < 256 && application == APPLICATION + version)
        return cuzk_error_set(err, CUZK_UNSUPPORTED,
                              "journal: version %" PRId64 ", this program knows %d: written by a later one",
                              version, VERSION);
    return cuzk_error_set(err, CUZK_INPUT, "journal: version %" PRId64 " of application %" PRId64, version,
                          application);
}

static enum cuzk_status check_row(void *context, uint64_t id, const uint8_t *bytes, size_t length,
                                  struct cuzk_error *err)
{
    struct cuzk_journal_row *const row = context;
    uint64_t sequence, mark;

    if (id == 0)
        return cuzk_journal_mark_decode(bytes, length, &sequence, &mark, err);
    CUZK_TRY(cuzk_journal_row_decode(bytes, length, row, err));
    if (row->job.id != id)
        return cuzk_error_set(err, CUZK_INPUT, "journal: row %" PRIu64 " is of job %" PRIu64, id,
                              row->job.id);
    return CUZK_OK;
}

/* Every page and every row. */
static enum cuzk_status check_all(struct cuzk_journal_store *store, struct cuzk_error *err)
{
    struct cuzk_journal_row *row;
    int64_t ignored = 0;
    char text[200] = "";

    CUZK_TRY(ask(store->reader, "PRAGMA quick_check(1)", &ignored, text, sizeof text, err));
    if (strcmp(text, "ok") != 0)
        return cuzk_error_set(err, CUZK_INPUT, "journal: %s", text);
    CUZK_TRY(CUZK_NEW(&row, 1, "row of the journal", err));
    const enum cuzk_status status =
        cuzk_journal_store_each(store, CUZK_JOURNAL_TABLE_JOB, check_row, row, err);

    cuzk_mem_free(row);
    return status;
}

static int count_log(void *context, sqlite3 *db, const char *name, int pages)
{
    struct cuzk_journal_store *const store = context;

    (void)db;
    (void)name;
    store->log_pages = (unsigned)pages;
    return SQLITE_OK;
}

static enum cuzk_status prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct cuzk_error *err)
{
    const int code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);

    return code == SQLITE_OK ? CUZK_OK : sql_error(db, code, sql, err);
}

static enum cuzk_status prepare_all(struct cuzk_journal_store *store, struct cuzk_error *err)
{
    CUZK_TRY(prepare(store->writer, "BEGIN IMMEDIATE", &store->begin, err));
    CUZK_TRY(prepare(store->writer, "COMMIT", &store->commit, err));
    for (int t = 0; t < CUZK_JOURNAL_TABLES; t++)
        for (int s = 0; s < STATEMENTS; s++)
            CUZK_TRY(prepare(s == READ ? store->reader : store->writer, texts[t][s], &store->statements[t][s],
                             err));
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_store_open(const char *path, bool check, struct cuzk_journal_store **out,
                                         struct cuzk_error *err)
{
    static const char writer_setting[] =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"
        "PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;"
        "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 33554432; PRAGMA trusted_schema = OFF";
    static const char reader_setting[] =
        "PRAGMA cache_size = -1000; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;"
        "PRAGMA query_only = ON";
    static const char tidier_setting[] = "PRAGMA synchronous = FULL; PRAGMA cache_size = 0;"
                                         "PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema = OFF";
    struct cuzk_journal_store *store;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&store, 1, "journal", err));
    store->log_fd = -1;
    CUZK_TRY_OUT(connect(path, SQLITE_OPEN_READWRITE, &store->writer, err));
    CUZK_TRY_OUT(check_version(store->writer, err));
    CUZK_TRY_OUT(run(store->writer, writer_setting, err));
    sqlite3_wal_hook(store->writer, count_log, store); /* after wal_autocheckpoint, which sets it too */
    CUZK_TRY_OUT(connect(path, SQLITE_OPEN_READWRITE, &store->reader, err));
    CUZK_TRY_OUT(run(store->reader, reader_setting, err));
    CUZK_TRY_OUT(connect(path, SQLITE_OPEN_READWRITE, &store->tidier, err));
    CUZK_TRY_OUT(run(store->tidier, tidier_setting, err));
    CUZK_TRY_OUT(prepare_all(store, err));
    if (check)
        CUZK_TRY_OUT(check_all(store, err));
    *out = store;
out:
    if (status != CUZK_OK)
        cuzk_journal_store_close(store, false);
    return status;
}

void cuzk_journal_store_close(struct cuzk_journal_store *store, bool tidy)
{
    if (store == NULL)
        return;
    sqlite3_finalize(store->begin);
    sqlite3_finalize(store->commit);
    for (int t = 0; t < CUZK_JOURNAL_TABLES; t++)
        for (int s = 0; s < STATEMENTS; s++)
            sqlite3_finalize(store->statements[t][s]);
    sqlite3 *const all[] = {store->tidier, store->reader, store->writer};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!tidy && all[i] != NULL)
            sqlite3_db_config(all[i], SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        sqlite3_close(all[i]);
    }
    if (store->log_fd >= 0)
        close(store->log_fd);
    cuzk_mem_free(store);
}

/* Runs a statement that gives no rows. */
static enum cuzk_status step(sqlite3 *db, sqlite3_stmt *statement, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const int code = sqlite3_step(statement);

    if (code != SQLITE_DONE)
        status = sql_error(db, code, "writing", err);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

enum cuzk_status cuzk_journal_store_begin(struct cuzk_journal_store *store, struct cuzk_error *err)
{
    return step(store->writer, store->begin, err);
}

/* Rows that were got are given up: they would hold the log. */
static void reset_gets(struct cuzk_journal_store *store)
{
    for (int t = 0; t < CUZK_JOURNAL_TABLES; t++)
        sqlite3_reset(store->statements[t][GET]);
}

enum cuzk_status cuzk_journal_store_commit(struct cuzk_journal_store *store, struct cuzk_error *err)
{
    reset_gets(store);
    return step(store->writer, store->commit, err);
}

void cuzk_journal_store_rollback(struct cuzk_journal_store *store)
{
    reset_gets(store);
    if (sqlite3_get_autocommit(store->writer) == 0) /* a grave error has rolled back by itself */
        (void)sqlite3_exec(store->writer, "ROLLBACK", NULL, NULL, NULL);
}

enum cuzk_status cuzk_journal_store_put(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                        uint64_t id, const void *bytes, size_t length, bool replace,
                                        struct cuzk_error *err)
{
    sqlite3_stmt *const statement = store->statements[table][replace ? REPLACE : PUT];

    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    sqlite3_bind_blob64(statement, 2, bytes, length, SQLITE_STATIC);
    return step(store->writer, statement, err);
}

enum cuzk_status cuzk_journal_store_delete(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                           uint64_t id, struct cuzk_error *err)
{
    sqlite3_stmt *const statement = store->statements[table][DELETE];

    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    return step(store->writer, statement, err);
}

enum cuzk_status cuzk_journal_store_get(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                        uint64_t id, const uint8_t **bytes, size_t *length,
                                        struct cuzk_error *err)
{
    sqlite3_stmt *const statement = store->statements[table][GET];

    *bytes = NULL;
    *length = 0;
    sqlite3_reset(statement);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    const int code = sqlite3_step(statement);

    if (code == SQLITE_ROW) {
        *bytes = sqlite3_column_blob(statement, 0);
        *length = (size_t)sqlite3_column_bytes(statement, 0);
        return CUZK_OK;
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? CUZK_OK : sql_error(store->writer, code, "reading", err);
}

enum cuzk_status cuzk_journal_store_drop_orphans(struct cuzk_journal_store *store, struct cuzk_error *err)
{
    return run(store->writer, "DELETE FROM request WHERE id NOT IN (SELECT id FROM job)", err);
}

unsigned cuzk_journal_store_log_pages(const struct cuzk_journal_store *store)
{
    return store->log_pages;
}

/* SQLite keeps no lock on the log's file that a second descriptor could break, and never looks at its length
 * to find its own end. */
static bool open_log(struct cuzk_journal_store *store)
{
    if (store->log_fd < 0)
        store->log_fd =
            open(sqlite3_filename_wal(sqlite3_db_filename(store->writer, "main")), O_WRONLY | O_CLOEXEC);
    return store->log_fd >= 0;
}

void cuzk_journal_store_reserve(struct cuzk_journal_store *store, uint64_t bytes)
{
    static const uint8_t zeros[RESERVED_AT_ONCE];
    struct statvfs disk;
    struct stat facts;

    if (!open_log(store) || fstat(store->log_fd, &facts) != 0 || fstatvfs(store->log_fd, &disk) != 0 ||
        disk.f_bavail < ROOM_FACTOR * bytes / disk.f_frsize)
        return;
    const uint64_t begin = (uint64_t)facts.st_size;
    uint64_t at = begin;

    while (at < bytes) {
        const size_t n = bytes - at < sizeof zeros ? (size_t)(bytes - at) : sizeof zeros;
        const ssize_t put = pwrite(store->log_fd, zeros, n, (off_t)at);

        if (put <= 0) { /* what is short of room is left to those who need it */
            (void)!ftruncate(store->log_fd, (off_t)begin);
            return;
        }
        at += (uint64_t)put;
    }
}

void cuzk_journal_store_settle(struct cuzk_journal_store *store)
{
    if (store->log_fd >= 0)
        (void)fdatasync(store->log_fd); /* a group's own sync says whether the disk holds */
}

enum cuzk_status cuzk_journal_store_shrink(struct cuzk_journal_store *store, unsigned pages_most, bool *more,
                                           struct cuzk_error *err)
{
    int64_t free_pages = 0;
    char sql[64];

    *more = false;
    CUZK_TRY(ask(store->writer, "PRAGMA freelist_count", &free_pages, NULL, 0, err));
    if (free_pages <= FREE_PAGES_MOST)
        return CUZK_OK;
    free_pages -= FREE_PAGES_MOST;
    *more = free_pages > pages_most;
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%" PRId64 ")", *more ? pages_most : free_pages);
    return run(store->writer, sql, err);
}

enum cuzk_status cuzk_journal_store_checkpoint(struct cuzk_journal_store *store, unsigned *moved,
                                               struct cuzk_error *err)
{
    int log = 0, done = 0;
    const int code = sqlite3_wal_checkpoint_v2(store->tidier, NULL, SQLITE_CHECKPOINT_PASSIVE, &log, &done);

    *moved = done > 0 ? (unsigned)done : 0;
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
        return sql_error(store->tidier, code, "bringing the log into the database", err);
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_store_each(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                         enum cuzk_status (*each)(void *context, uint64_t id,
                                                                  const uint8_t *bytes, size_t length,
                                                                  struct cuzk_error *err),
                                         void *context, struct cuzk_error *err)
{
    static const char *const sql[CUZK_JOURNAL_TABLES] = {"SELECT id, body FROM job ORDER BY id",
                                                         "SELECT id, body FROM request ORDER BY id"};
    enum cuzk_status status = CUZK_OK;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->reader, sql[table], -1, &statement, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        const uint8_t *const bytes = sqlite3_column_blob(statement, 1);

        CUZK_TRY_OUT(each(context, (uint64_t)sqlite3_column_int64(statement, 0), bytes,
                          bytes != NULL ? (size_t)sqlite3_column_bytes(statement, 1) : 0, err));
    }
    if (code != SQLITE_DONE)
        status = sql_error(store->reader, code, "reading", err);
out:
    sqlite3_finalize(statement);
    return status;
}

enum cuzk_status cuzk_journal_store_read(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                         uint64_t id, uint8_t **bytes, size_t *length, struct cuzk_error *err)
{
    sqlite3_stmt *const statement = store->statements[table][READ];
    enum cuzk_status status;

    *bytes = NULL;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    const int code = sqlite3_step(statement);

    if (code == SQLITE_ROW) {
        const void *const found = sqlite3_column_blob(statement, 0);
        const size_t n = found != NULL ? (size_t)sqlite3_column_bytes(statement, 0) : 0;

        CUZK_TRY_OUT(CUZK_NEW(bytes, n, "row of the journal", err));
        if (n > 0)
            memcpy(*bytes, found, n);
        *length = n;
    } else if (code == SQLITE_DONE) {
        status = cuzk_error_set(err, CUZK_NOT_FOUND, "journal: no row of job %" PRIu64, id);
    } else {
        status = sql_error(store->reader, code, "reading", err);
    }
out:
    sqlite3_reset(statement);
    return status;
}
