package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dollars of docs/cost.md are those of its prices and formulas. */
class CostTest {

    private static final String PAGE =
            DocumentPages.read(DocumentPages.DOCS.resolve("cost.md")).replaceAll("\\s+", " ");
    private static final double FIRINGS = 50 * 60 * 24 * 30; // of a month

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 6})
    void aRowHasTheDollarsOfTheFormulas(int nodes) {
        double rate = dollars(FIRINGS * (nodes + 1), 0);
        String cron = String.format(Locale.ROOT, "$%.2f | $%.2f", cron(nodes, 1), cron(nodes, 30));

        assertThat(PAGE).contains(String.format(Locale.ROOT, "| %d | $%.2f | %s |", nodes, rate, cron));
    }

    private static double cron(int nodes, int secondsOfARun) {
        double readsASecond = number("([0-9.]+) × seconds of a run");
        return dollars(FIRINGS * (2 * nodes + 1), FIRINGS * (nodes - 1) * readsASecond * secondsOfARun);
    }

    @Test
    void aLeaderHasTheUnitsOfTheTable() {
        double held = number("10,000 locks held[^|]* \\| ([0-9,]+) million writes") * 1e6 / 10_000;
        double waiting = number("for one key, in one process \\| ([0-9.]+) million reads") * 1e6;

        assertThat(PAGE)
                .contains(String.format(Locale.ROOT, "%,.0f writes, $%.2f", held, dollars(held, 0)))
                .contains(String.format(Locale.ROOT, "%.2f million reads, $%.2f", waiting / 1e6, dollars(0, waiting)));
    }

    private static double dollars(double writes, double reads) {
        double write = number("\\$([0-9.]+) per million write units");
        double read = number("\\$([0-9.]+) per million read units");
        return (writes * write + reads * read) / 1e6;
    }

    private static double number(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(PAGE);
        assertThat(matcher.find()).as(pattern).isTrue();
        return Double.parseDouble(matcher.group(1).replace(",", ""));
    }
}
