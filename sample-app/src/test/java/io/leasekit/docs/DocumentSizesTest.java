package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Introductory documents stay short. */
class DocumentSizesTest {

    private static final Pattern DECISION = Pattern.compile("(?ms)^### ([^\n]+)\n\n(.*?)\\s*(?=^##|\\z)");

    @ParameterizedTest
    @CsvSource({"README.md, 200", "CONTRIBUTING.md, 60", "ARCHITECTURE.md, 240", "DECISIONS.md, 430"})
    void aPageThatIsReadFirstIsShort(String page, int lines) {
        assertThat(DocumentPages.read(DocumentPages.ROOT.resolve(page)).lines().count())
                .isLessThanOrEqualTo(lines);
    }

    @Test
    void aDecisionHasAtMostEightLines() {
        String page = DocumentPages.read(DocumentPages.ROOT.resolve("DECISIONS.md"));

        assertThat(DECISION.matcher(page).results())
                .isNotEmpty()
                .allSatisfy(decision -> assertThat(decision.group(2).lines().count())
                        .as(decision.group(1))
                        .isBetween(1L, 8L));
    }
}
