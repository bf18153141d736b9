#include "cli/help.h"

#include <string.h>

enum { OPTION_COLUMN = 28, NAME_COLUMN = 16, TEXT_WIDTH = 76 };

/* Prints text in lines of at most `width` characters from the current column on; later lines are indented. */
static void wrap(FILE *stream, const char *text, int indent, int width)
{
    int column = indent;

    while (*text != '\0') {
        const int word = (int)strcspn(text, " ");

        if (column > indent && column + 1 + word > indent + width) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

void cli_help_list(FILE *stream, const char *group)
{
    const size_t n = strlen(group);

    if (n == 0)
        fputs("cuzk proves Filecoin sectors: it turns vanilla proofs into the Groth16 proofs that the chain "
              "accepts.\n"
              "\n"
              "usage: cuzk COMMAND [OPTION]...\n"
              "\n"
              "commands:\n",
              stream);
    else
        fprintf(stream, "usage: cuzk %s ... [OPTION]...\n\ncommands:\n", group);
    for (size_t i = 0; i < cli_command_count; i++) {
        const char *name = cli_commands[i]->name;

        if (cli_commands[i]->hidden || (n > 0 && (strncmp(name, group, n) != 0 || name[n] != ' ')))
            continue;
        fprintf(stream, "  %-*s ", NAME_COLUMN, name);
        wrap(stream, cli_commands[i]->summary, NAME_COLUMN + 3, TEXT_WIDTH - NAME_COLUMN);
    }
    fputs("\n"
          "`cuzk COMMAND --help` explains a command, with an example. Every command takes --json.\n"
          "`cuzk --version` names the build.\n"
          "exit codes: 0 done, 1 the proof or file is invalid, 2 usage, 3 bad input, 4 resources, 5 internal "
          "error\n",
          stream);
}

static void print_option(FILE *stream, const struct cuzk_option *option)
{
    char name[64], text[1024];
    int used = snprintf(text, sizeof text, "%s", option->help);

    snprintf(name, sizeof name, "--%s%s%s", option->name, option->placeholder != NULL ? " " : "",
             option->placeholder != NULL ? option->placeholder : "");
    if (option->choices != NULL)
        used += snprintf(text + used, sizeof text - (size_t)used, " (%s)", option->choices);
    if (option->required)
        used += snprintf(text + used, sizeof text - (size_t)used, " (required)");
    if (option->fallback != NULL)
        used += snprintf(text + used, sizeof text - (size_t)used, " [default: %s]", option->fallback);
    if (option->environment != NULL)
        snprintf(text + used, sizeof text - (size_t)used, " [environment: %s]", option->environment);
    fprintf(stream, "  %-*s", OPTION_COLUMN - 2, name);
    if (strlen(name) + 3 > OPTION_COLUMN)
        fprintf(stream, "\n%*s", OPTION_COLUMN, "");
    wrap(stream, text, OPTION_COLUMN, TEXT_WIDTH - OPTION_COLUMN + 20);
}

void cli_help_command(FILE *stream, const struct cli_command *command)
{
    fprintf(stream, "usage: cuzk %s%s%s [OPTION]...\n\n", command->name,
            command->arguments[0] != '\0' ? " " : "", command->arguments);
    for (const char *line = command->text; *line != '\0';) { /* one paragraph a line */
        char paragraph[2048];
        const size_t n = strcspn(line, "\n");

        snprintf(paragraph, sizeof paragraph, "%.*s", (int)n, line);
        wrap(stream, paragraph, 0, TEXT_WIDTH + 20);
        line += n;
        line += *line == '\n';
    }
    struct cuzk_option options[CLI_OPTIONS_MOST];
    const size_t count = cli_command_options(command, options);

    fputs("\noptions:\n", stream);
    for (size_t i = 0; i < count; i++)
        print_option(stream, &options[i]);
    fputs("\nexample:\n", stream);
    for (const char *line = command->example; *line != '\0';) {
        const size_t n = strcspn(line, "\n");

        fprintf(stream, "  %.*s\n", (int)n, line);
        line += n;
        line += *line == '\n';
    }
}
