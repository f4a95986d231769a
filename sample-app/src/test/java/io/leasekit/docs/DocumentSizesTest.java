package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Introductory documents stay short. */
class DocumentSizesTest {

    private static final Pattern DECISION = Pattern.compile("(?ms)^### ([^\n]+)\n\n(.*?)\\s*(?=^##|\\z)");

    @ParameterizedTest
    @CsvSource({"README.md, 200", "CONTRIBUTING.md, 60", "ARCHITECTURE.md, 140"})
    void aPageThatIsReadFirstIsShort(String page, int lines) {
        assertThat(DocumentPages.read(DocumentPages.ROOT.resolve(page)).lines().count())
                .isLessThanOrEqualTo(lines);
    }

    @Test
    void aDecisionHasAtMostEightLines() {
        assertThat(decisions())
                .hasSizeGreaterThan(80)
                .allSatisfy(decision -> assertThat(decision.group(2).lines().count())
                        .as(decision.group(1))
                        .isBetween(1L, 8L));
    }

    @Test
    void theIndexOfDecisionsHasAllOfThemInTheirOrder() {
        String page = DocumentPages.read(DocumentPages.ROOT.resolve("DECISIONS.md"));
        List<String> indexed = new ArrayList<>();
        Pattern.compile("(?m)^ *- \\[([^]]+)]\\(#")
                .matcher(page)
                .results()
                .forEach(entry -> indexed.add(entry.group(1)));

        assertThat(indexed)
                .containsExactlyElementsOf(
                        decisions().stream().map(decision -> decision.group(1)).toList());
    }

    private static List<MatchResult> decisions() {
        return DECISION.matcher(DocumentPages.read(DocumentPages.ROOT.resolve("DECISIONS.md")))
                .results()
                .toList();
    }
}
