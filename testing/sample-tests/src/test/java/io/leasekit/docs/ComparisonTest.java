package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages name the versions of other libraries, and the date, as {@code docs/comparison.properties} does. */
class ComparisonTest {

    private static final Properties COMPARISON = comparison();

    /** A version, but no address of a machine and no version that is part of a name. */
    private static final Pattern VERSION = Pattern.compile("(?<![\\w.-])\\d+\\.\\d+(\\.\\d+)?(?![\\w-]|\\.\\d)");

    private static final Pattern COMMIT = Pattern.compile("commit (`[0-9a-f]{7,}`, \\w+ \\d{4})");

    static List<String> libraries() {
        return COMPARISON.stringPropertyNames().stream()
                .filter(key -> key.endsWith(".name"))
                .map(key -> key.replace(".name", ""))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void eachPageThatComparesALibraryNamesItsVersion(String library) {
        assertThat(value(library, "sources")).startsWith("https://");
        assertThat(value(library, "pages").split(" "))
                .isNotEmpty()
                .allSatisfy(page -> assertThat(plain(page))
                        .as(page)
                        .contains(value(library, "name") + " " + value(library, "version")));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aLibraryThatTheBuildTestsHasTheVersionOfTheBuild(String library) {
        String property = COMPARISON.getProperty(library + ".build");

        assertThat(property == null ? Stream.of(value(library, "version")) : Poms.texts(Poms.pom("."), property))
                .containsExactly(value(library, "version"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/coming-from.md"})
    void aPageThatComparesNamesTheDateAndNoOtherVersions(String page) {
        Set<String> known = Stream.concat(
                        COMPARISON.stringPropertyNames().stream().map(COMPARISON::getProperty), ownVersions())
                .collect(Collectors.toSet());

        assertThat(plain(page)).contains(COMPARISON.getProperty("date"));
        assertThat(plain(page).lines()).allSatisfy(line -> {
            assertThat(VERSION.matcher(line).results().map(version -> version.group()))
                    .as(line)
                    .isSubsetOf(known);
            assertThat(COMMIT.matcher(line).results().map(commit -> commit.group(1)))
                    .as(line)
                    .isSubsetOf(known);
        });
    }

    @Test
    void librariesThatAreNotReplacedAreNamedToo() {
        assertThat(libraries()).contains("redisson", "spring-cloud-aws", "db-scheduler");
        assertThat(plain("README.md")).contains("`DynamoDbLockRegistry` of Spring Cloud AWS");
    }

    /** The two lines of Spring Boot, and the number of the licence. */
    private static Stream<String> ownVersions() {
        return Stream.concat(
                Stream.of("2.0"),
                Stream.of("boot.version", "boot3.version")
                        .flatMap(property -> Poms.texts(Poms.pom("."), property))
                        .map(version -> version.replaceAll("\\.\\d+$", "")));
    }

    /** Returns a page as it is read: without blocks of code, targets of links and breaks within paragraphs. */
    private static String plain(String page) {
        return DocumentPages.prose(DocumentPages.ROOT.resolve(page))
                .replaceAll("(?<!\n)\n(?![\n|#-])", " ")
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .replaceAll("<https?://[^>]*>", "");
    }

    private static String value(String library, String key) {
        String value = COMPARISON.getProperty(library + "." + key);
        assertThat(value).as("%s of '%s'", key, library).isNotBlank();
        return value;
    }

    private static Properties comparison() {
        try {
            Properties properties = new Properties();
            properties.load(new StringReader(DocumentPages.read(DocumentPages.DOCS.resolve("comparison.properties"))));
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
