package io.leasekit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTest {

    @Test
    void aRecordNamesEachValueAndQuotesItsTexts() {
        assertThat(Text.record("Type", "key, token, keys, none", "a\nb", 5L, List.of("c"), null))
                .isEqualTo("Type[key='a\\u000ab', token=5, keys=['c'], none=null]");
    }

    @Test
    void aRecordWithoutAValueForEachNameIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Text.record("Type", "key, token", "a"))
                .withMessage("Type has 1 values, expected one for each of 2 names");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Text.record("Type", "key, token", "a", 5L, 6L))
                .withMessage("Type has 3 values, expected one for each of 2 names");
    }

    @Test
    void aFailureTellsItsMessageAndTheHostThatCannotBeFound() {
        Throwable unknown = new IllegalStateException("See cause", new UnknownHostException("dynamodb.eu-centrl-1"));

        assertThat(Text.why(unknown)).isEqualTo("See cause (unknown host: dynamodb.eu-centrl-1)");
        assertThat(Text.why(new IllegalStateException("Broken"))).isEqualTo("Broken");
        assertThat(Text.why(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
        assertThat(Text.why(new UnknownHostException("here"))).isEqualTo("here");
    }
}
