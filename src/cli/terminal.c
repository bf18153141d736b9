#include "cli/terminal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define SECOND_NS UINT64_C(1000000000)

/* A bar is redrawn at most every tenth of a second; a line is written at most every four seconds, and not
 * before two have passed. */
#define BAR_NS   (SECOND_NS / 10)
#define LINE_NS  (4 * SECOND_NS)
#define GRACE_NS (2 * SECOND_NS)

/* What is left of a stage is guessed once it has lasted so long. */
#define GUESS_NS (5 * SECOND_NS)

enum { BAR_CELLS = 30, STAGE_ROOM = 64, LEFT_ROOM = 32 };

struct cli_terminal {
    pthread_mutex_t lock;
    bool quiet, bar, drawn;
    uint64_t started_ns, next_ns;
    uint64_t stage_ns, stage_done; /* when the stage began, and with how much done */
    char stage[STAGE_ROOM];
};

enum cuzk_status cli_terminal_open(bool quiet, struct cli_terminal **out, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, 1, "terminal", err));
    struct cli_terminal *terminal = *out;

    pthread_mutex_init(&terminal->lock, NULL);
    terminal->quiet = quiet;
    terminal->bar = isatty(STDERR_FILENO) == 1;
    terminal->started_ns = cuzk_clock_ns();
    terminal->next_ns = terminal->started_ns + (terminal->bar ? SECOND_NS / 2 : GRACE_NS);
    return CUZK_OK;
}

static void clear_locked(struct cli_terminal *terminal)
{
    if (terminal->drawn)
        fputs("\r\033[K", stderr);
    terminal->drawn = false;
}

void cli_terminal_clear(struct cli_terminal *terminal)
{
    if (terminal == NULL)
        return;
    pthread_mutex_lock(&terminal->lock);
    clear_locked(terminal);
    pthread_mutex_unlock(&terminal->lock);
}

void cli_terminal_close(struct cli_terminal *terminal)
{
    if (terminal == NULL)
        return;
    cli_terminal_clear(terminal);
    pthread_mutex_destroy(&terminal->lock);
    cuzk_mem_free(terminal);
}

/* ", 12 s left" at the stage's speed so far; empty where that says nothing yet. */
static void guess_left(const struct cli_terminal *terminal, uint64_t done, uint64_t total, uint64_t now,
                       char text[LEFT_ROOM])
{
    const double seconds = (double)(now - terminal->stage_ns) / (double)SECOND_NS;

    text[0] = '\0';
    if (now - terminal->stage_ns < GUESS_NS || done <= terminal->stage_done || done >= total)
        return;
    snprintf(text, LEFT_ROOM, ", %.0f s left",
             seconds * (double)(total - done) / (double)(done - terminal->stage_done));
}

static void draw(struct cli_terminal *terminal, uint64_t done, uint64_t total, uint64_t now)
{
    const double seconds = (double)(now - terminal->started_ns) / (double)SECOND_NS;
    const double share = total > 0 ? (double)(done < total ? done : total) / (double)total : 0;
    char left[LEFT_ROOM];

    guess_left(terminal, done, total, now, left);

    if (!terminal->bar) {
        if (total > 0)
            fprintf(stderr, "cuzk: %s %.0f%% (%.0f s%s)\n", terminal->stage, 100 * share, seconds, left);
        else if (done == 0) /* nothing is counted */
            fprintf(stderr, "cuzk: %s (%.0f s)\n", terminal->stage, seconds);
        else
            fprintf(stderr, "cuzk: %s %" PRIu64 " (%.0f s)\n", terminal->stage, done, seconds);
        return;
    }
    char cells[BAR_CELLS + 1];
    const int filled = (int)(share * BAR_CELLS);

    for (int i = 0; i < BAR_CELLS; i++)
        cells[i] = i < filled ? '#' : '.';
    cells[BAR_CELLS] = '\0';
    if (total > 0)
        fprintf(stderr, "\r\033[K%-24s [%s] %3.0f%%  %.0f s%s", terminal->stage, cells, 100 * share, seconds,
                left);
    else if (done == 0)
        fprintf(stderr, "\r\033[K%-24s %.0f s", terminal->stage, seconds);
    else
        fprintf(stderr, "\r\033[K%-24s %" PRIu64 "  %.0f s", terminal->stage, done, seconds);
    fflush(stderr);
    terminal->drawn = true;
}

void cli_terminal_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct cli_terminal *terminal = context;

    if (terminal->quiet)
        return;
    pthread_mutex_lock(&terminal->lock);
    const uint64_t now = cuzk_clock_ns();

    if (strncmp(stage, terminal->stage, STAGE_ROOM - 1) != 0) {
        snprintf(terminal->stage, sizeof terminal->stage, "%s", stage);
        terminal->stage_ns = now;
        terminal->stage_done = done;
    }
    if (now >= terminal->next_ns) {
        draw(terminal, done, total, now);
        terminal->next_ns = now + (terminal->bar ? BAR_NS : LINE_NS);
    }
    pthread_mutex_unlock(&terminal->lock);
}

void cli_terminal_log(void *context, enum cuzk_log_level level, const char *message)
{
    struct cli_terminal *terminal = context;

    pthread_mutex_lock(&terminal->lock);
    clear_locked(terminal);
    if (level <= CUZK_LOG_WARNING)
        fprintf(stderr, "cuzk: %s: %s\n", cuzk_log_level_name(level), message);
    else
        fprintf(stderr, "cuzk: %s\n", message);
    pthread_mutex_unlock(&terminal->lock);
}
