package io.leasekit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.spring.key.LeaseKeySyntax.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseKeySyntaxTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"nightly", "${region}", "a-${region:x}-b", "${a:${b}}", "${a:{b}}", "\\${no", "1#2", "5$", "}{"})
    void textAndPlaceholdersAreOneLiteralRun(String text) {
        assertThat(LeaseKeySyntax.parts(text)).containsExactly(new Part(text, false));
    }

    @Test
    void expressionsAreCutOut() {
        assertThat(LeaseKeySyntax.parts("#{a}#{b}")).containsExactly(new Part("a", true), new Part("b", true));
        assertThat(LeaseKeySyntax.parts("${x}-#{a}-y"))
                .containsExactly(new Part("${x}-", false), new Part("a", true), new Part("-y", false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{1, 2}.size()", "'}'", "\"}'\" + 'it''s}'", "{'{': 1}['{']", "#map['{']"})
    void bracesAndQuotesWithinAnExpressionDoNotEndIt(String expression) {
        assertThat(LeaseKeySyntax.parts("a#{" + expression + "}b"))
                .containsExactly(new Part("a", false), new Part(expression, true), new Part("b", false));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            order-#{#order     | '#{#order' is not closed                                    | Close it with '}'.
            a-${region         | '${region' is not closed                                    | Close it with '}'.
            #{'it''s}          | '#{'it''s}' is not closed                                   | Close it with '}'.
            a#{ }              | '#{ }' is empty                                             | Write an expression between the braces.
            #{'${region}'}     | the placeholder in '#{'${region}'}' is not resolved there   | Write '${…}' outside of '#{…}'.
            ${region:#{#id}}   | the expression in '${region:#{#id}}' is not evaluated there | Write '#{…}' outside of '${…}'.
            """)
    void whatWouldBeReadOtherwiseThanMeantIsRefused(String text, String problem, String fix) {
        assertThatExceptionOfType(InvalidLeaseKeyException.class)
                .isThrownBy(() -> LeaseKeySyntax.parts(text))
                .withMessage(problem)
                .extracting(InvalidLeaseKeyException::fix)
                .isEqualTo(fix);
    }
}
