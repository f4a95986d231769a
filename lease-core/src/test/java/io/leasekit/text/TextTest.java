package io.leasekit.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasekit.LeaseRequest;
import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {

    @Test
    @Timeout(600)
    void causesMayFormACycle() {
        IOException inner = new IOException("inner");
        IllegalStateException outer = new IllegalStateException("outer", inner);
        inner.initCause(outer);

        assertThat(Text.why(outer)).isEqualTo("outer");
        assertThat(Text.brief(outer)).startsWith("IllegalStateException: outer");
        assertThat(Text.causes(outer)).startsWith(outer, inner, outer);
    }

    @Test
    void aFailureInBriefHasItsRootCauseAndNoSecrets() {
        Throwable root = new java.io.IOException("Connect to http://user:pa@ssword@db:8000 failed\nsecond line");
        Throwable failure = new IllegalStateException(
                "Signed with Credential=AKIAIOSFODNN7EXAMPLE/20261125, Signature=abc0123&X-Amz-Security-Token=xyz",
                new RuntimeException(root));

        assertThat(Text.brief(failure))
                .startsWith("IllegalStateException: Signed with Credential=")
                .endsWith("; cause: IOException: Connect to http://…@db:8000 failed\\u000asecond line")
                .doesNotContain("user", "ssword", "AKIA", "abc0123", "xyz", "\n");
        assertThat(Text.brief(new RuntimeException("x".repeat(1_000)))).hasSize(301);
        assertThat(Text.brief(new RuntimeException("", null))).isEqualTo("RuntimeException");
    }

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

    /** Each line: a text of another system, and what is left of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "x-amz-security-token: IQoJb3JpZ2lu//8= next|x-amz-security-token: … next",
                "X-Amz-Security-Token=abc&X=1|X-Amz-Security-Token=…&X=1",
                "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/x, Signature=ab|Authorization: AWS4-HMAC-SHA256 …, Signature=…",
                "authorization: Bearer abc|authorization: Bearer …",
                "{\"SecretAccessKey\" : \"abc/+=\", \"Token\": \"def\"}|{\"SecretAccessKey\" : \"…\", \"Token\": \"…\"}",
                "aws_secret_access_key = abc/+|aws_secret_access_key = …",
                "password: abc|password: …",
                "sessionToken='abc'|sessionToken='…'",
                "AWS_SESSION_TOKEN=abc/+|AWS_SESSION_TOKEN=…",
                "secret-key: abc|secret-key: …",
                "Proxy-Authorization: Basic dXNlcjpw|Proxy-Authorization: Basic …",
                "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F2026&X-Amz-Signature=ab|X-Amz-Credential=…&X-Amz-Signature=…",
                "{'sessionToken': 'abc', 'secretAccessKey': 'def'}|{'sessionToken': '…', 'secretAccessKey': '…'}",
                "jdbc:x://me:a/b@c@host and http://you:p@other|jdbc:x://…@host and http://…@other",
                "the password is wrong|the password is wrong",
                "Token expired: 17|Token expired: 17",
                "GET http://me:pass/wo@rd@host:8000/|GET http://…@host:8000/",
                "key AKIAIOSFODNN7EXAMPLE is inactive|key … is inactive",
                "No AWS credentials: their source has failed|No AWS credentials: their source has failed",
                "The security token included in the request is invalid|The security token included in the request is invalid",
                "the fencing token: 17|the fencing token: 17",
            })
    void noSecretIsLeft(String text, String shown) {
        assertThat(Text.why(new IllegalStateException(text))).isEqualTo(shown);
        assertThat(Text.line(text)).isEqualTo(shown);
        assertThat(Text.masked(text)).isEqualTo(shown);
        assertThat(Text.plain(text)).isEqualTo(shown);
        assertThat(Text.brief(new IllegalStateException(text))).isEqualTo("IllegalStateException: " + shown);
    }

    @Test
    void noTextBreaksOrForgesALine() {
        String text = "a' was lost\n2026 WARN \u001b[31m\u202e\u2028\ud83d'";
        String shown = "a' was lost\\u000a2026 WARN \\u001b[31m\\u202e\\u2028\\ud83d'";

        assertThat(Text.why(new IllegalStateException(text))).isEqualTo(shown);
        assertThat(Text.plain(text)).isEqualTo(shown);
        assertThat(Text.quote(text)).isEqualTo("'" + shown.replace("'", "\\u0027") + "'");
        assertThat(Text.why(new IllegalStateException(shown))).isEqualTo(shown);
        assertThat(Text.why(new IllegalStateException("x".repeat(5_000)))).hasSize(2_001);
    }

    @Test
    @Timeout(600)
    void aTextIsCutBetweenCharactersAndSearchedInLittleTime() {
        assertThat(Text.plain("x".repeat(127) + "\ud83d\ude00")).isEqualTo("x".repeat(127) + "…");
        assertThat(Text.plain("x".repeat(126) + "\ud83d\ude00")).isEqualTo("x".repeat(126) + "\ud83d\ude00");
        assertThat(Text.line("/".repeat(400_000))).hasSize(2_001);
        assertThat(Text.line("token".repeat(80_000))).hasSize(2_001);
    }

    @ParameterizedTest
    @CsvSource({
        "PT9.990216373S, 9.99 s",
        "PT9.999999999S, 9.99 s",
        "PT0.25S, 250 ms",
        "PT0.0123456S, 12.3 ms",
        "PT0.999999S, 999 ms",
        "PT0.000412S, 412 µs",
        "PT0.000000001S, 1 ns",
        "PT0S, 0 s",
        "PT1S, 1 s",
        "PT1.5S, 1.5 s",
        "PT1.999999999S, 1.99 s",
        "PT12.3456S, 12.3 s",
        "PT59.999999999S, 59.9 s",
        "PT1M, 1 min",
        "PT1M0.5S, 1 min",
        "PT2M5.9S, 2 min 5 s",
        "PT59M59.9S, 59 min 59 s",
        "PT1H, 1 h",
        "PT1H3M59S, 1 h 3 min",
        "PT1H59S, 1 h",
        "PT36H, 1 d 12 h",
        "PT72H, 3 d",
        "PT72H59M, 3 d",
        "PT8760H, 365 d",
        "PT-0.25S, -250 ms",
        "PT-125S, -2 min 5 s"
    })
    void aMeasuredDurationIsPrintedAsAPersonReadsItAndNeverAsMoreThanItIs(Duration duration, String printed) {
        assertThat(Text.duration(duration)).isEqualTo(printed);
    }

    @ParameterizedTest
    @CsvSource({
        "PT30S, 30 s",
        "PT2S, 2 s",
        "PT0S, 0 s",
        "PT0.001S, 1 ms",
        "PT0.0015S, 1.5 ms",
        "PT0.000000001S, 1 ns",
        "PT1.999999999S, 1.999999999 s",
        "PT14M59.999999999S, 14 min 59.999999999 s",
        "PT8760H0.000000001S, 365 d 0.000000001 s",
        "PT25H1M1S, 1 d 1 h 1 min 1 s",
        "PT100S, 1 min 40 s",
        "PT-1S, -1 s"
    })
    void aSettingIsPrintedExactly(Duration duration, String printed) {
        assertThat(Text.exact(duration)).isEqualTo(printed);
    }

    @Test
    void theLongestDurationsArePrintedToo() {
        assertThat(Text.exact(LeaseRequest.UNLIMITED)).isEqualTo("unlimited");
        assertThat(Text.duration(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo("106751991167300 d 15 h");
        assertThat(Text.duration(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo("-106751991167300 d 15 h");
        assertThat(Text.exact(Duration.ofSeconds(Long.MIN_VALUE, 1))).startsWith("-106751991167300 d 15 h");
    }

    @Test
    void aRecordPrintsDurationsExactly() {
        assertThat(Text.record("Type", "ttl, all", Duration.ofSeconds(90), List.of(Duration.ofMillis(5))))
                .isEqualTo("Type[ttl=1 min 30 s, all=[5 ms]]");
    }

    @ParameterizedTest
    @CsvSource({
        "http://me:secret@host:8000/path, http://host:8000/path",
        "https://me@host, https://host",
        "http://me:sec@ret@host, http://host",
        "http://me:sec/ret@host, http://host",
        "http://me:sec:ret@my_host:8000, http://my_host:8000",
        "me:secret@host:8000, host:8000",
        "//me:secret@host, //host",
        "http://host:8000, http://host:8000",
        "http://[::1]:8000, http://[::1]:8000",
    })
    void anAddressHasNoUserAndNoPassword(String address, String shown) {
        assertThat(Text.address(address)).isEqualTo(shown);
    }
}
