package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The targets of all links in pages exist, including headings. */
class DocumentLinksTest {

    private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");

    static Stream<Path> pages() {
        return DocumentPages.all().stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void allRelativeLinksOfAPageResolve(Path page) {
        assertThat(links(page)).allSatisfy(link -> {
            String[] parts = link.split("#", 2);
            Path target = parts[0].isEmpty()
                    ? page
                    : page.getParent().resolve(parts[0]).normalize();
            assertThat(Files.exists(target)).as("file of '%s'", link).isTrue();
            if (parts.length == 2) {
                assertThat(anchors(target)).as("headings of '%s'", link).contains(parts[1]);
            }
        });
    }

    @Test
    void theReadmeHasAllPages() {
        assertThat(links(DocumentPages.ROOT.resolve("README.md")))
                .containsAll(pages().filter(page -> page.getParent().equals(DocumentPages.DOCS))
                        .map(page -> "docs/" + page.getFileName())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "Quick start, quick-start",
        "`lease.ttl` and its range, leasettl-and-its-range",
        "What may I annotate?, what-may-i-annotate",
        "Lost replies (5.5), lost-replies-55"
    })
    void anAnchorIsMadeAsGitHubMakesIt(String heading, String anchor) {
        assertThat(anchor(heading)).isEqualTo(anchor);
    }

    private static List<String> links(Path page) {
        return LINK.matcher(CODE.matcher(DocumentPages.prose(page)).replaceAll("code"))
                .results()
                .map(match -> match.group(1))
                .filter(link -> !link.matches("[a-z]+:.*"))
                .toList();
    }

    /** Returns the anchors of a page's headings. */
    static List<String> anchors(Path page) {
        Map<String, Integer> seen = new HashMap<>();
        List<String> anchors = new ArrayList<>();
        HEADING.matcher(DocumentPages.prose(page)).results().forEach(heading -> {
            String anchor = anchor(heading.group(1));
            int count = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(count == 0 ? anchor : anchor + "-" + count);
        });
        return anchors;
    }

    private static String anchor(String heading) {
        return heading.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
