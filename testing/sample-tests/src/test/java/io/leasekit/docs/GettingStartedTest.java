package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The imports that docs/getting-started.md names. */
class GettingStartedTest {

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `((?:io\\.leasekit|org\\.spring)[a-z.]*)` \\| (.*) \\|$");
    private static final List<String> EXAMPLES = List.of(
            "GettingStartedExamples.java",
            "ReadmeExamples.java",
            "WhichShapeExamples.java",
            "WhatMayIAnnotateExamples.java",
            "ScheduledJobsExamples.java");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][A-Za-z]+)`");

    static Stream<String> imports() {
        return rows().stream().flatMap(row -> types(row).stream().map(type -> row.group(1) + "." + type));
    }

    private static List<MatchResult> rows() {
        String page = DocumentPages.read(DocumentPages.DOCS.resolve("getting-started.md"));
        return ROW.matcher(page).results().toList();
    }

    private static List<String> types(MatchResult row) {
        return TYPE.matcher(row.group(2)).results().map(type -> type.group(1)).toList();
    }

    @ParameterizedTest
    @MethodSource("imports")
    void aTypeIsInItsPackage(String name) {
        assertThatCode(() -> Class.forName(name)).doesNotThrowAnyException();
    }

    @Test
    void eachAnnotationOfAnExampleIsAmongTheImports() {
        List<String> names =
                imports().map(name -> name.substring(name.lastIndexOf('.') + 1)).toList();
        Pattern imported = Pattern.compile("(?m)^import io\\.leasekit\\.(?:spring\\.)?([A-Z][A-Za-z]+);$");

        assertThat(DocumentPages.examples().stream()
                        .filter(file -> EXAMPLES.contains(file.getFileName().toString()))
                        .flatMap(file ->
                                imported.matcher(DocumentPages.read(file)).results())
                        .map(found -> found.group(1))
                        .filter(type -> !type.endsWith("Exception")))
                .isNotEmpty()
                .allSatisfy(type -> assertThat(names).contains(type));
    }
}
