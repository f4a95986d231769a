package io.leasekit.engine;

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

/**
 * Searches the states of {@code src/test/tla/Lease.tla}. The protocol keeps its invariants, and each safeguard is
 * needed. The configuration and the output of every run stay in {@code target/tlc}.
 * {@code -Dleasekit.tlc=long} adds larger searches; run them after a change of the specification.
 */
class TlcTest {

    private static final Path SPECIFICATION = Path.of("src", "test", "tla", "Lease.tla");

    private static final int NO_ERROR = 0;
    private static final int INVARIANT_VIOLATED = 12;

    private static final String ALL = "Exclusion TokensGrow NoFalseLoss Guard Covered TokenOutlived";

    /** The right protocol, with releases that retain the item. */
    private static final Map<String, String> RETAIN = Tlc.constants(
            Map.of(),
            // the extent of the search
            "Clients={a, b}, LastTick=5, RequestsEach=2, RequestsAll=3",
            // times
            "Ttl=2, Terms={2}, Deadline=1, HoldFor=1, CopyLife=2, ClockWidth=0",
            // the world and the settings
            "ItemTtl=TRUE, Observing=TRUE, HandingOver=FALSE, Crashes=FALSE, ForcedRelease=FALSE, LateReplies=FALSE",
            "ReleaseMode='retain', RoundedDown=0, CrateVisits=FALSE, ClockError=0",
            // the protocol
            "TokenFrom='deadline', TokenCovered=TRUE, DeleteWhen='safe', TakeOver='after', Condition='range'",
            "Adopt='found', Ours='tenure', HoldAs='fresh', GuardBy='tenure', HandOver='conditional'",
            "TermWhen='kept', TermTold='claimed'");

    private static final Map<String, String> FOUR_REQUESTS = Tlc.constants(RETAIN, "RequestsAll=4");
    private static final Map<String, String> HOLD = Tlc.constants(RETAIN, "ReleaseMode='hold', CopyLife=1");
    private static final Map<String, String> DELETE = Tlc.constants(RETAIN, "ReleaseMode='delete', CopyLife=1");
    private static final Map<String, String> HAND_OVER = Tlc.constants(RETAIN, "HandingOver=TRUE, CopyLife=1");
    private static final Map<String, String> FREED_HAND_OVER =
            Tlc.constants(HAND_OVER, "ForcedRelease=TRUE, LastTick=4");
    private static final Map<String, String> ROUNDED_DOWN = Tlc.constants(RETAIN, "RoundedDown=1, CopyLife=1");
    private static final Map<String, String> LONG_TTL = Tlc.constants(
            FOUR_REQUESTS, "RequestsEach=3, Ttl=3, Terms={3}, CopyLife=3, LastTick=6, Observing=FALSE, ItemTtl=FALSE");

    private static final Map<String, String> TERMS = Tlc.constants(RETAIN, "Terms={1, 2}, CopyLife=1, LastTick=4");
    private static final Map<String, String> LONG_TERMS = Tlc.constants(LONG_TTL, "Terms={1, 3}, Observing=TRUE");

    @TempDir
    Path scratch;

    @Test
    void protocolKeepsEveryInvariantInASmallSearch() throws Exception {
        protocolKeepsEveryInvariant("retain, small", Tlc.constants(RETAIN, "LastTick=4"), 8_753);
    }

    static Stream<Arguments> settings() {
        Stream<Arguments> always = Stream.of(
                arguments("retain", RETAIN, 37_134),
                arguments("hold", HOLD, 30_698),
                arguments("hand-over", HAND_OVER, 36_148));
        Stream<Arguments> larger = Stream.of(
                arguments("delete", DELETE, 47_466),
                arguments("hand-over, forced release", FREED_HAND_OVER, 82_279),
                arguments("crashes", Tlc.constants(RETAIN, "Crashes=TRUE, LastTick=4"), 34_946),
                arguments("expiry rounded down", ROUNDED_DOWN, 48_295),
                arguments("hold limit", TERMS, 58_768),
                arguments("late replies", Tlc.constants(RETAIN, "LateReplies=TRUE, RequestsAll=2"), 32_803),
                arguments("forced release", Tlc.constants(RETAIN, "ForcedRelease=TRUE, LastTick=4"), 69_421),
                arguments("longer ttl", LONG_TTL, 65_489),
                arguments("retain, four requests", FOUR_REQUESTS, 224_338),
                arguments("retain, large", Tlc.constants(FOUR_REQUESTS, "RequestsEach=3"), 762_873),
                arguments("hold, large", Tlc.constants(HOLD, "RequestsAll=4"), 157_166),
                arguments("delete, large", Tlc.constants(DELETE, "RequestsAll=4"), 295_390),
                arguments("hand-over, large", Tlc.constants(HAND_OVER, "RequestsAll=4"), 215_848),
                arguments("hold limit, large", Tlc.constants(TERMS, "LastTick=5"), 216_712),
                arguments("uncertain clock", Tlc.constants(RETAIN, "ClockWidth=1, LastTick=6"), 1_934_427));
        return Tlc.LONG ? Stream.concat(always, larger) : always;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    @Tag("full")
    void protocolKeepsEveryInvariant(String setting, Map<String, String> constants, int distinctStates)
            throws Exception {
        Tlc.Result result = search(setting, constants, ALL, Tlc.LONG ? 2 : 1);

        assertThat(result.output()).contains("Model checking completed. No error has been found.");
        // the exact number, because a smaller search would prove less
        assertThat(result.output()).contains(" " + distinctStates + " distinct states found, 0 states left on queue.");
        assertThat(result.exitCode()).isEqualTo(NO_ERROR);
    }

    static Stream<Arguments> brokenProtocols() {
        return Stream.of(
                arguments(
                        "token incremented by the server",
                        "TokensGrow",
                        Tlc.constants(DELETE, "TokenFrom='increment'")),
                arguments("token from the send", "TokensGrow", Tlc.constants(DELETE, "TokenFrom='send'")),
                arguments(
                        "delete before the clock passed the token",
                        "TokensGrow",
                        Tlc.constants(DELETE, "DeleteWhen='always'")),
                arguments("expiry below the token", "TokensGrow", Tlc.constants(HOLD, "TokenCovered=FALSE, HoldFor=0")),
                arguments(
                        "versions of the whole process count as own",
                        "Exclusion",
                        Tlc.constants(FOUR_REQUESTS, "Ours='process', RequestsEach=3")),
                arguments(
                        "validity from the refused request",
                        "Exclusion",
                        Tlc.constants(FOUR_REQUESTS, "Condition='confirmed', Adopt='refused'")),
                arguments(
                        "own version not adopted",
                        "NoFalseLoss",
                        Tlc.constants(RETAIN, "Condition='confirmed', Adopt='never'")),
                arguments("renewal ends before an earlier one", "Covered", Tlc.constants(LONG_TERMS, "TermWhen='any'")),
                arguments("observers told less than claimed", "Exclusion", Tlc.constants(TERMS, "TermTold='less'")),
                arguments(
                        "renewal on the prefix of the tenure",
                        "Exclusion",
                        Tlc.constants(LONG_TTL, "Condition='prefix'")),
                arguments("guard by the token alone", "Guard", Tlc.constants(HOLD, "GuardBy='token'")),
                arguments("hold keeps its tenure", "Guard", Tlc.constants(HOLD, "HoldAs='tenure'")),
                arguments("suspend not noticed", "Exclusion", Tlc.constants(RETAIN, "ClockError=2")),
                arguments("take-over at the expiry", "Exclusion", Tlc.constants(ROUNDED_DOWN, "TakeOver='at'")),
                arguments("hand-over without a condition", "Exclusion", Tlc.constants(HAND_OVER, "HandOver='blind'")),
                arguments("hand-over keeps the token", "TokensGrow", Tlc.constants(HAND_OVER, "HandOver='sameToken'")),
                arguments(
                        "hand-over ignores the item's token",
                        "Guard",
                        Tlc.constants(HAND_OVER, "HandOver='anyToken', RequestsEach=3")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenProtocols")
    @Tag("full")
    void brokenProtocolIsRefuted(String broken, String invariant, Map<String, String> constants) throws Exception {
        Tlc.Result result = search(broken, constants, invariant, 1);

        assertThat(result.output()).contains("Invariant " + invariant + " is violated");
        assertThat(result.exitCode()).isEqualTo(INVARIANT_VIOLATED);
    }

    static Stream<Arguments> brokenAssumptions() {
        return Stream.of(
                arguments(
                        "client without tokens uses the key", "TokensGrow", Tlc.constants(RETAIN, "CrateVisits=TRUE")),
                arguments("copy outlives a deleted item", "Guard", Tlc.constants(DELETE, "CopyLife=2")),
                arguments("copy outlives a hold", "Guard", Tlc.constants(HOLD, "CopyLife=2")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenAssumptions")
    @Tag("full")
    void assumptionIsNeeded(String broken, String invariant, Map<String, String> constants) throws Exception {
        brokenProtocolIsRefuted(broken, invariant, constants);
    }

    private Tlc.Result search(String name, Map<String, String> constants, String invariants, int workers)
            throws Exception {
        return new Tlc(SPECIFICATION, scratch)
                .search(
                        name,
                        constants,
                        List.of("CONSTANTS", "  a = a", "  b = b", "SYMMETRY AnyOrder"),
                        invariants,
                        workers);
    }
}
