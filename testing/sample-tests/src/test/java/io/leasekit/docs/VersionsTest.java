package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The versions that pages name are those of the build. */
class VersionsTest {

    private static final Pattern DEPENDENCY = Pattern.compile(
            "<groupId>io\\.leasekit</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");

    @Test
    void pagesNameTheVersionOfTheBuild() {
        List<MatchResult> dependencies = DocumentPages.all().stream()
                .map(DocumentPages::read)
                .flatMap(page -> DEPENDENCY.matcher(page).results())
                .toList();

        assertThat(dependencies).hasSizeGreaterThan(4).allSatisfy(dependency -> {
            assertThat(dependency.group(2)).as(dependency.group(1)).isEqualTo(Poms.version());
            assertThat(Stream.concat(Stream.of("lease-bom"), Poms.publishedArtifacts().stream()))
                    .contains(dependency.group(1));
        });
    }

    @Test
    void theChangelogBeginsWithTheVersionOfTheBuild() {
        String number = Poms.version().replace("-SNAPSHOT", "");

        assertThat(headings(DocumentPages.ROOT.resolve("CHANGELOG.md")).findFirst())
                .get()
                .asString()
                .matches(Pattern.quote(number) + " \\((unreleased|\\d{4}-\\d{2}-\\d{2})\\)");
    }

    /** A property of the parent's pom, whose version the table of supported versions names as tested. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "maven.compiler.release",
                "boot.version",
                "boot3.version",
                "aws.sdk.version",
                "shedlock-core.version",
                "shedlock-spring.version",
                "spring-integration.version",
                "spring-integration6.version",
                "kotlin.version",
                "dynamodb-local.version"
            })
    void theTableOfSupportedVersionsNamesATestedVersion(String property) {
        String version = Poms.texts(Poms.pom("."), property).findFirst().orElseThrow();

        assertThat(DocumentPages.read(DocumentPages.DOCS.resolve("support.md")).lines())
                .filteredOn(line -> line.startsWith("|"))
                .as("row with %s of '%s'", version, property)
                .anyMatch(line -> Pattern.compile("\\b" + Pattern.quote(version) + "\\b")
                        .matcher(line)
                        .find());
    }

    private static Stream<String> headings(Path page) {
        return DocumentPages.read(page)
                .lines()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3));
    }
}
