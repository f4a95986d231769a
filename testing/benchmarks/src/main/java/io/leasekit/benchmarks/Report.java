package io.leasekit.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Writes the results as one Markdown table for each row, and as JSON with one result on each line. */
final class Report {

    private final ObjectMapper json = new ObjectMapper();
    private final Options options;
    private final List<String> lines = new ArrayList<>();
    private final StringBuilder markdown = new StringBuilder();

    Report(Options options) {
        this.options = options;
        markdown.append("JDK ").append(System.getProperty("java.version"));
        markdown.append(", ").append(Runtime.getRuntime().availableProcessors()).append(" processors");
        markdown.append(options.quick() ? ", quick: the figures mean nothing\n" : "\n");
    }

    void add(Row row, List<Result> results) throws IOException {
        for (Result result : results) {
            lines.add(json.writeValueAsString(result));
        }
        String table = table(row, results);
        System.out.println(table);
        markdown.append('\n').append(table);
        Files.createDirectories(options.output());
        Files.write(options.output().resolve("results.jsonl"), lines);
        Files.writeString(options.output().resolve("results.md"), markdown);
    }

    Path directory() {
        return options.output().toAbsolutePath();
    }

    private static String table(Row row, List<Result> results) {
        Set<String> names = new LinkedHashSet<>();
        results.forEach(result -> names.addAll(result.values().keySet()));
        StringBuilder table = new StringBuilder();
        table.append("### ").append(row.name()).append(": ").append(row.title()).append("\n\n");
        table.append("| | contender | settings | ")
                .append(String.join(" | ", names))
                .append(" | requests |\n");
        table.append("|---".repeat(names.size() + 4)).append("|\n");
        for (Result result : results) {
            table.append("| ").append(result.setting());
            table.append(" | ").append(result.contender());
            table.append(" | ").append(result.settings());
            for (String name : names) {
                table.append(" | ").append(result.values().getOrDefault(name, ""));
            }
            table.append(" | ").append(requests(result)).append(" |\n");
        }
        return table.toString();
    }

    private static String requests(Result result) {
        List<String> parts = new ArrayList<>();
        result.requests().forEach((operation, count) -> {
            if (!operation.endsWith("!")) {
                long refused = result.requests().getOrDefault(operation + "!", 0L);
                parts.add(count + " " + operation + (refused == 0 ? "" : " (" + refused + " refused)"));
            }
        });
        return String.join(", ", parts);
    }
}
