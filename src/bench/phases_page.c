/* The retrospective as a picture (SVG 1.1 that stands alone) and as a page around it. */
#include <stdio.h>
#include <string.h>

#include "bench/emit.h"
#include "bench/phases.h"

#define PRINT(...) cuzk_bench_emit(out, __VA_ARGS__)

enum {
    WIDTH = 960,
    LABEL = 90,
    CHART = 780,
    ROW = 34,
    TOP = 64,
    CURVE_HEIGHT = 220,
    LEGEND_COLUMN = 220,
};

/* By part; colours that stay apart for colour-blind eyes (after Okabe and Ito). */
static const char *const colours[CUZK_PARTS] = {"#0072b2", "#56b4e9", "#e69f00", "#d55e00",
                                                "#cc79a7", "#009e73", "#999999", "#cccccc"};

static double most_seconds(const struct cuzk_phases *phases)
{
    double most = 0;

    for (uint32_t i = 0; i < phases->phase_count; i++) {
        if (phases->phases[i].runs && phases->phases[i].loaded.per_proof > most)
            most = phases->phases[i].loaded.per_proof;
        if (phases->phases[i].runs && phases->phases[i].alone.per_proof > most)
            most = phases->phases[i].alone.per_proof;
    }
    return most > 0 ? most : 1;
}

static void bar(struct cuzk_bench_emit *out, const struct cuzk_sim_result *result, const char *what, double y,
                double height, double scale, double memory)
{
    double x = LABEL;

    for (unsigned part = 0; part < CUZK_PARTS; part++) {
        const double width = result->part[part] * scale;

        if (width < 0.05)
            continue;
        PRINT(
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"><title>%s, %s: %.3g s a "
            "proof</title></rect>\n",
            x, y, width, height, colours[part], what, cuzk_sim_part_name((enum cuzk_sim_part)part),
            result->part[part]);
        x += width;
    }
    PRINT("<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\">%.3g s", x + 4, y + height - 2, result->per_proof);
    if (result->host_peak > memory)
        PRINT(", not comparable: needs %.0f GiB of host memory", result->host_peak);
    PRINT("</text>\n");
}

/* Two bars a phase: under load, and alone below it, thinner. */
static void draw_phases(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    const double scale = (CHART - 60) / most_seconds(phases);

    for (uint32_t i = 0; i < phases->phase_count; i++) {
        const struct cuzk_phase *phase = &phases->phases[i];
        const double y = TOP + (double)i * ROW;

        PRINT("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LABEL - 8, y + 15, phase->preset);
        if (!phase->runs) {
            PRINT("<text x=\"%d\" y=\"%.1f\" font-size=\"10\">does not run on this machine</text>\n", LABEL,
                  y + 14);
            continue;
        }
        bar(out, &phase->loaded, "loaded", y, 15, scale, phases->model.host_memory);
        bar(out, &phase->alone, "alone", y + 17, 9, scale, phases->model.host_memory);
    }
}

static void draw_legend(struct cuzk_bench_emit *out, double y)
{
    for (unsigned part = 0; part < CUZK_PARTS; part++) {
        const double x = LABEL + (part % 4) * LEGEND_COLUMN, line = y + 18.0 * (part >= 4 ? 1 : 0);

        PRINT("<rect x=\"%.0f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%.0f\" "
              "y=\"%.1f\">%s</text>\n",
              x, line, colours[part], x + 18, line + 11, cuzk_sim_part_name((enum cuzk_sim_part)part));
    }
}

static void draw_curve(const struct cuzk_phases *phases, struct cuzk_bench_emit *out, double y)
{
    const double left = LABEL, width = CHART - 60, base = y + CURVE_HEIGHT;
    double most = 1e-9, memory = 1e-9;

    for (uint32_t i = 0; i < phases->point_count; i++) {
        if (phases->points[i].per_proof > most)
            most = phases->points[i].per_proof;
        if (phases->points[i].host_peak > memory)
            memory = phases->points[i].host_peak;
    }
    PRINT("<text x=\"%d\" y=\"%.1f\" font-weight=\"bold\">Phase 12 by partition workers: seconds a proof "
          "(line), "
          "host GiB (columns)</text>\n",
          LABEL, y - 12);
    for (uint32_t i = 0; i < phases->point_count; i++) {
        const double x = left + width * (i + 0.5) / phases->point_count;
        const double height = CURVE_HEIGHT * phases->points[i].host_peak / memory;

        PRINT("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#56b4e9\" "
              "fill-opacity=\"0.35\">"
              "<title>%u workers: %.3g s a proof, %.3g GiB</title></rect>\n",
              x - 0.4 * width / phases->point_count, base - height, 0.8 * width / phases->point_count, height,
              phases->points[i].workers, phases->points[i].per_proof, phases->points[i].host_peak);
        PRINT("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\">%u</text>\n", x, base + 14,
              phases->points[i].workers);
    }
    PRINT("<polyline fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2\" points=\"");
    for (uint32_t i = 0; i < phases->point_count; i++)
        PRINT("%.1f,%.1f ", left + width * (i + 0.5) / phases->point_count,
              base - CURVE_HEIGHT * phases->points[i].per_proof / most);
    PRINT("\"/>\n<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\">%.3g s</text>\n", left + 24, y + 6, most);
}

static void draw(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    const double legend = TOP + (double)phases->phase_count * ROW + 6, curve = legend + 76;
    const double height = curve + CURVE_HEIGHT + 34;

    PRINT("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
          "fill=\"#ffffff\"/>\n",
          WIDTH, height, WIDTH, height);
    PRINT(
        "<text x=\"%d\" y=\"22\" font-size=\"15\" font-weight=\"bold\">Seconds a proof by phase: %s</text>\n"
        "<text x=\"%d\" y=\"42\">Upper bar: %u proofs, %u in flight, batch wall / proofs; lower bar: one "
        "proof "
        "alone. %s, %u %s.</text>\n",
        LABEL, phases->model.name, LABEL, phases->proofs, phases->in_flight,
        phases->runner != NULL ? "Measured" : "Simulated", phases->seeds,
        phases->runner != NULL ? "runs each" : "seeds");
    draw_phases(phases, out);
    draw_legend(out, legend);
    draw_curve(phases, out, curve);
    PRINT("</svg>\n");
}

enum cuzk_status cuzk_phases_write_svg(const struct cuzk_phases *phases, struct cuzk_sink sink,
                                       struct cuzk_error *err)
{
    struct cuzk_bench_emit emit = {sink, err, CUZK_OK};

    draw(phases, &emit);
    return emit.status;
}

/* Text with the characters that HTML reserves replaced, on its way to the page. */
static enum cuzk_status escape(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct cuzk_bench_emit *out = context;
    const char *text = bytes;

    (void)err;
    for (size_t i = 0; i < n;) {
        const size_t plain = strcspn(text + i, "<>&") < n - i ? strcspn(text + i, "<>&") : n - i;

        PRINT("%.*s", (int)plain, text + i);
        i += plain;
        if (i < n) {
            PRINT("%s", text[i] == '<' ? "&lt;" : text[i] == '>' ? "&gt;" : "&amp;");
            i++;
        }
    }
    return out->status;
}

enum cuzk_status cuzk_phases_write_html(const struct cuzk_phases *phases, struct cuzk_sink sink,
                                        struct cuzk_error *err)
{
    struct cuzk_bench_emit emit = {sink, err, CUZK_OK}, *out = &emit;
    const struct cuzk_sink escaped = {escape, out};

    PRINT("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width\"><title>Phases: "
          "%s</title>\n<style>body{font-family:sans-serif;margin:1em "
          "auto;max-width:75em}svg{max-width:100%%;height:auto}pre{overflow-x:auto;font-size:12px}</style></"
          "head>"
          "<body>\n",
          phases->model.name);
    draw(phases, out);
    PRINT("<pre>");
    if (emit.status == CUZK_OK)
        emit.status = cuzk_phases_write_text(phases, escaped, err);
    PRINT("</pre></body></html>\n");
    return emit.status;
}
