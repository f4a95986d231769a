package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tlc2.TLC;

/**
 * Searches the states of {@code src/test/tla/Lease.tla}. The protocol keeps its invariants, and each safeguard is
 * needed. The configuration and the output of every run stay in {@code target/tlc}.
 * {@code -Dleasekit.tlc=long} adds larger searches.
 */
class TlcTest {

    private static final boolean LONG = "long".equals(System.getProperty("leasekit.tlc"));

    private static final Duration TIME_LIMIT = LONG ? Duration.ofHours(1) : Duration.ofMinutes(20);

    private static final Path SPECIFICATION = Path.of("src", "test", "tla", "Lease.tla");

    private static final Path RUNS = Path.of("target", "tlc");

    private static final int NO_ERROR = 0;
    private static final int INVARIANT_VIOLATED = 12;

    private static final String ALL = "Exclusion TokensGrow NoFalseLoss Guard Covered TokenOutlived";

    /** The right protocol, with releases that retain the item. */
    private static final Map<String, String> RETAIN = constants(
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

    private static final Map<String, String> FOUR_REQUESTS = constants(RETAIN, "RequestsAll=4");
    private static final Map<String, String> HOLD = constants(RETAIN, "ReleaseMode='hold', CopyLife=1");
    private static final Map<String, String> DELETE = constants(RETAIN, "ReleaseMode='delete', CopyLife=1");
    private static final Map<String, String> HAND_OVER = constants(RETAIN, "HandingOver=TRUE, CopyLife=1");
    private static final Map<String, String> FREED_HAND_OVER = constants(HAND_OVER, "ForcedRelease=TRUE, LastTick=4");
    private static final Map<String, String> ROUNDED_DOWN = constants(RETAIN, "RoundedDown=1, CopyLife=1");
    private static final Map<String, String> LONG_TTL = constants(
            FOUR_REQUESTS, "RequestsEach=3, Ttl=3, Terms={3}, CopyLife=3, LastTick=6, Observing=FALSE, ItemTtl=FALSE");

    private static final Map<String, String> TERMS = constants(RETAIN, "Terms={1, 2}, CopyLife=1, LastTick=4");
    private static final Map<String, String> LONG_TERMS = constants(LONG_TTL, "Terms={1, 3}, Observing=TRUE");

    @TempDir
    Path scratch;

    static Stream<Arguments> settings() {
        Stream<Arguments> always = Stream.of(
                arguments("retain", FOUR_REQUESTS, 224_338),
                arguments("hold", HOLD, 30_698),
                arguments("delete", DELETE, 47_466),
                arguments("hand-over", HAND_OVER, 36_148),
                arguments("hand-over, forced release", FREED_HAND_OVER, 82_279),
                arguments("forced release", constants(RETAIN, "ForcedRelease=TRUE, LastTick=4"), 69_421),
                arguments("crashes", constants(RETAIN, "Crashes=TRUE, LastTick=4"), 34_946),
                arguments("expiry rounded down", ROUNDED_DOWN, 48_295),
                arguments("longer ttl", LONG_TTL, 65_489),
                arguments("hold limit", TERMS, 58_768),
                arguments("late replies", constants(RETAIN, "LateReplies=TRUE, RequestsAll=2"), 32_803));
        Stream<Arguments> larger = Stream.of(
                arguments("retain, large", constants(FOUR_REQUESTS, "RequestsEach=3"), 762_873),
                arguments("hold, large", constants(HOLD, "RequestsAll=4"), 157_166),
                arguments("delete, large", constants(DELETE, "RequestsAll=4"), 295_390),
                arguments("hand-over, large", constants(HAND_OVER, "RequestsAll=4"), 215_848),
                arguments("hold limit, large", constants(TERMS, "LastTick=5"), 216_712),
                arguments("uncertain clock", constants(RETAIN, "ClockWidth=1, LastTick=6"), 1_934_427));
        return LONG ? Stream.concat(always, larger) : always;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void protocolKeepsEveryInvariant(String setting, Map<String, String> constants, int distinctStates)
            throws Exception {
        Result result = search(setting, constants, ALL, LONG ? 2 : 1);

        assertThat(result.output()).contains("Model checking completed. No error has been found.");
        // the exact number, because a smaller search would prove less
        assertThat(result.output()).contains(" " + distinctStates + " distinct states found, 0 states left on queue.");
        assertThat(result.exitCode()).isEqualTo(NO_ERROR);
    }

    static Stream<Arguments> brokenProtocols() {
        return Stream.of(
                arguments("token incremented by the server", "TokensGrow", constants(DELETE, "TokenFrom='increment'")),
                arguments("token from the send", "TokensGrow", constants(DELETE, "TokenFrom='send'")),
                arguments(
                        "delete before the clock passed the token",
                        "TokensGrow",
                        constants(DELETE, "DeleteWhen='always'")),
                arguments("expiry below the token", "TokensGrow", constants(HOLD, "TokenCovered=FALSE, HoldFor=0")),
                arguments(
                        "versions of the whole process count as own",
                        "Exclusion",
                        constants(FOUR_REQUESTS, "Ours='process', RequestsEach=3")),
                arguments(
                        "validity from the refused request",
                        "Exclusion",
                        constants(FOUR_REQUESTS, "Condition='confirmed', Adopt='refused'")),
                arguments(
                        "own version not adopted",
                        "NoFalseLoss",
                        constants(RETAIN, "Condition='confirmed', Adopt='never'")),
                arguments("renewal ends before an earlier one", "Covered", constants(LONG_TERMS, "TermWhen='any'")),
                arguments("observers told less than claimed", "Exclusion", constants(TERMS, "TermTold='less'")),
                arguments(
                        "renewal on the prefix of the tenure", "Exclusion", constants(LONG_TTL, "Condition='prefix'")),
                arguments("guard by the token alone", "Guard", constants(HOLD, "GuardBy='token'")),
                arguments("hold keeps its tenure", "Guard", constants(HOLD, "HoldAs='tenure'")),
                arguments("suspend not noticed", "Exclusion", constants(RETAIN, "ClockError=2")),
                arguments("take-over at the expiry", "Exclusion", constants(ROUNDED_DOWN, "TakeOver='at'")),
                arguments("hand-over without a condition", "Exclusion", constants(HAND_OVER, "HandOver='blind'")),
                arguments("hand-over keeps the token", "TokensGrow", constants(HAND_OVER, "HandOver='sameToken'")),
                arguments(
                        "hand-over ignores the item's token",
                        "Guard",
                        constants(HAND_OVER, "HandOver='anyToken', RequestsEach=3")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenProtocols")
    void brokenProtocolIsRefuted(String broken, String invariant, Map<String, String> constants) throws Exception {
        Result result = search(broken, constants, invariant, 1);

        assertThat(result.output()).contains("Invariant " + invariant + " is violated");
        assertThat(result.exitCode()).isEqualTo(INVARIANT_VIOLATED);
    }

    static Stream<Arguments> brokenAssumptions() {
        return Stream.of(
                arguments("client without tokens uses the key", "TokensGrow", constants(RETAIN, "CrateVisits=TRUE")),
                arguments("copy outlives a deleted item", "Guard", constants(DELETE, "CopyLife=2")),
                arguments("copy outlives a hold", "Guard", constants(HOLD, "CopyLife=2")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenAssumptions")
    void assumptionIsNeeded(String broken, String invariant, Map<String, String> constants) throws Exception {
        brokenProtocolIsRefuted(broken, invariant, constants);
    }

    /** Runs TLC in a JVM of its own, because TLC ends its JVM. */
    private Result search(String name, Map<String, String> constants, String invariants, int workers) throws Exception {
        Path run = Files.createDirectories(RUNS.resolve(name.replaceAll("\\W+", "-")));
        Files.write(run.resolve("Lease.tla"), Files.readAllBytes(SPECIFICATION));
        Files.write(run.resolve("Lease.cfg"), configuration(constants, invariants));
        Path output = run.resolve("output.txt").toAbsolutePath();
        Process tlc = new ProcessBuilder(command(workers))
                .directory(run.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(tlc.waitFor(TIME_LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                    .as("TLC ends within %s, see %s", TIME_LIMIT, output)
                    .isTrue();
        } finally {
            tlc.destroyForcibly();
        }
        return new Result(tlc.exitValue(), Files.readString(output));
    }

    private List<String> command(int workers) throws URISyntaxException {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // a short search ends before the optimizing compiler pays off
                LONG ? "-XX:TieredStopAtLevel=4" : "-XX:TieredStopAtLevel=1",
                LONG ? "-Xmx4g" : "-Xmx1g",
                // TLC unpacks its standard modules there
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                Path.of(TLC.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                        .toString(),
                TLC.class.getName(),
                "-metadir",
                scratch.resolve("states").toString(),
                "-workers",
                String.valueOf(workers),
                "-config",
                "Lease.cfg",
                "Lease.tla");
    }

    private static List<String> configuration(Map<String, String> constants, String invariants) {
        Stream<String> values = constants.entrySet().stream().map(c -> "  " + c.getKey() + " = " + c.getValue());
        return List.of(
                "SPECIFICATION Spec",
                "CONSTANTS",
                "  a = a",
                "  b = b",
                values.collect(Collectors.joining("\n")),
                "SYMMETRY AnyOrder",
                "CHECK_DEADLOCK FALSE",
                "INVARIANTS " + invariants);
    }

    /** Returns {@code base} with these assignments. Only an empty base accepts new names. */
    private static Map<String, String> constants(Map<String, String> base, String... assignments) {
        Map<String, String> constants = new TreeMap<>(base);
        for (String assignment : String.join(", ", assignments).split(", (?=\\w+=)", -1)) {
            String[] sides = assignment.split("=", 2);
            String former = constants.put(sides[0], sides[1].replace('\'', '"'));
            assertThat(former != null || base.isEmpty())
                    .as("Constant '%s' is known", sides[0])
                    .isTrue();
        }
        return constants;
    }

    private record Result(int exitCode, String output) {}
}
