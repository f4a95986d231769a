package io.leasekit.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Texts of others reach a log only by {@link Text}. */
class ForeignTextsTest {

    private static final Pattern LOG = Pattern.compile("(?s)\\blog\\.(?:at|trace|debug|info|warn|error).*?;");
    private static final Pattern PAIR = Pattern.compile("addKeyValue\\(\"(?:lease|owner)\", (?!Text\\.)");

    private static List<String> found(Pattern statement, Pattern fault) {
        return Stream.of(
                        "src/main/java",
                        "../lease-spring-boot-starter/src/main/java",
                        "../lease-test/src/main/java",
                        "../extras/lease-console/src/main/java",
                        "../extras/lease-shedlock/src/main/java",
                        "../extras/lease-spring-integration/src/main/java")
                .flatMap(ForeignTextsTest::files)
                .flatMap(file -> statement.matcher(text(file)).results().map(found -> file + ": " + found.group()))
                .filter(found -> fault.matcher(found).find())
                .toList();
    }

    private static Stream<Path> files(String folder) {
        try (Stream<Path> all = Files.walk(Path.of(folder))) {
            return all.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void noMessageOfAnErrorIsLoggedAsItIs() {
        assertThat(found(LOG, Pattern.compile("getMessage\\(\\)|getLocalizedMessage\\(\\)")))
                .isEmpty();
    }

    @Test
    void noPairHasAKeyOrAnOwnerAsItIs() {
        assertThat(found(LOG, PAIR)).isEmpty();
        assertThat(found(Pattern.compile("(?s)return line\\.addKeyValue.*?;"), PAIR))
                .isEmpty();
    }

    /** The message of an error of the SDK becomes part of ours at these places. {@code Failures} only looks for a word in it. */
    @Test
    void messagesOfTheStoreAreReadInOnePlace() {
        Pattern read = Pattern.compile("\\w*(?:reply|error|known|cancelled)\\w*\\.(?:getMessage|errorMessage)\\(\\)");
        List<String> places = found(read, Pattern.compile("")).stream()
                .map(place -> place.replaceAll("^.*/", ""))
                .distinct()
                .toList();
        assertThat(places)
                .allMatch(place -> place.startsWith("FailureTexts")
                        || place.startsWith("Credentials")
                        || place.startsWith("Failures."));
    }
}
