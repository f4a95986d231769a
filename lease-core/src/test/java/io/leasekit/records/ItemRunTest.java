package io.leasekit.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.text.Text;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ItemRunTest {

    /** The second name is the greatest that one may think of below the first. */
    @ParameterizedTest
    @CsvSource({
        "2026-11-21T02:00:00Z, 2026-11-21T01:59:59Z",
        "42, 41\uD83D\uDE00",
        "b, a",
        "\uE000, \uD7FFz",
        "\uD800\uDC00, \uFFFDz",
        "'a\u0001', 'a\u0000\uD83D\uDE00'",
        "'ab\u0000', ab"
    })
    void theNameBeforeIsBelowTheRunAndNotBelowEarlierOnes(String run, String earlier) {
        String before = ItemRun.before(run);

        assertThat(Text.compareAsDynamoDb(before, run)).isNegative();
        assertThat(Text.compareAsDynamoDb(before, earlier)).isNotNegative();
        assertThat(before.codePoints().noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE))
                .isTrue();
    }
}
