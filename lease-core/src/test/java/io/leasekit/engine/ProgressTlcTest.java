package io.leasekit.engine;

import static io.leasekit.engine.Tlc.constants;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Searches the states of {@code src/test/tla/Progress.tla}. Progress keeps its promises, and each safeguard is needed. */
class ProgressTlcTest {

    private static final Path SPECIFICATION = Path.of("src", "test", "tla", "Progress.tla");
    private static final int NO_ERROR = 0;
    private static final int INVARIANT_VIOLATED = 12;

    private static final Map<String, String> RIGHT = constants(
            Map.of(),
            Tlc.LONG ? "Tenures=3, Requests=5" : "Tenures=3, Requests=4",
            "Condition='range', Ways='one', OnSuccess='removed', OnFailure='written'");

    @TempDir
    Path scratch;

    private Tlc.Result search(String name, Map<String, String> constants, String invariants) throws Exception {
        return new Tlc(SPECIFICATION, scratch).search("progress " + name, constants, List.of(), invariants, 1);
    }

    @Test
    void progressKeepsItsPromises() throws Exception {
        Tlc.Result result = search("right", RIGHT, "NothingLost NothingAfterSuccess");

        assertThat(result.output()).contains("Model checking completed. No error has been found.");
        // the exact number, because a smaller search would prove less
        assertThat(result.output())
                .contains(" " + (Tlc.LONG ? 65_756 : 17_692) + " distinct states found, 0 states left on queue.");
        assertThat(result.exitCode()).isEqualTo(NO_ERROR);
    }

    static Stream<Arguments> brokenProtocols() {
        return Stream.of(
                arguments("save that asks for no version", "NothingLost", constants(RIGHT, "Condition='none'")),
                arguments("save that asks for the tenure only", "NothingLost", constants(RIGHT, "Condition='tenure'")),
                arguments("renewals and transactions", "NothingLost", constants(RIGHT, "Ways='both'")),
                arguments("kept by a success", "NothingAfterSuccess", constants(RIGHT, "OnSuccess='kept'")),
                arguments("removed by a failure", "NothingLost", constants(RIGHT, "OnFailure='removed'")),
                arguments("note left out of the release", "NothingLost", constants(RIGHT, "OnFailure='forgotten'")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenProtocols")
    @Tag("full")
    void brokenProtocolIsRefuted(String broken, String invariant, Map<String, String> constants) throws Exception {
        Tlc.Result result = search(broken, constants, invariant);

        assertThat(result.output()).contains("Invariant " + invariant + " is violated");
        assertThat(result.exitCode()).isEqualTo(INVARIANT_VIOLATED);
    }
}
