package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.leasekit.storm.Recording.Line;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The requests for one key in a storm, replayed against {@code Lease.tla}: they are a behaviour of the model, and with one
 * line altered they are not. {@code -Dleasekit.storm.trace} names the folder of another storm to replay.
 */
class TraceTest {

    private static final Path HISTORIES = Path.of("src", "test", "histories");
    private static final Path KEPT = HISTORIES.resolve("trace.zip");
    private static final Path RUNS = Path.of("target", "replays");

    private static final int NEW_REQUEST = 1_000_000;
    private static final long TTL_NANOS = Scene.TTL.toNanos();

    private static final Change APPLIED =
            (before, line) -> new Line(line.process(), line.event().with(Event.OUTCOME, "applied"));

    /** Returns a line that no behaviour of the model continues with, after the lines before and instead of the given one. */
    private interface Change {
        Line of(List<Line> before, Line line);
    }

    /** The change of one line: of those that a pattern matches, the one with this number, counted from 1. */
    private record Plant(String pattern, int number, Change change) {

        /** Returns the lines up to the changed one. */
        List<Line> in(List<Line> recorded) {
            List<Line> lines = new ArrayList<>();
            Map<String, String> verbs = new HashMap<>();
            int found = 0;
            for (Line line : recorded) {
                if (name(line, verbs).equals(pattern) && ++found == number) {
                    lines.add(change.of(lines, new Line(line.process(), copy(line.event()))));
                    return lines;
                }
                lines.add(line);
            }
            throw new AssertionError("The kept trace has only " + found + " such lines");
        }

        /** Returns the verb of a request, or verb and outcome of a reply, or the kind of another line. */
        private static String name(Line line, Map<String, String> verbs) {
            Event event = line.event();
            String request = line.process() + (event.has("request") ? event.number("request") : 0);
            return switch (event.kind()) {
                case "sent" -> {
                    verbs.put(request, event.text(Sent.VERB));
                    yield event.text(Sent.VERB);
                }
                case "answered" -> verbs.get(request) + " " + event.text(Event.OUTCOME);
                default -> event.kind();
            };
        }

        private static Event copy(Event event) {
            return Event.parse(event.toString());
        }
    }

    @Test
    void theRequestsOfAStormAreABehaviourOfTheModel() throws Exception {
        String place = System.getProperty("leasekit.storm.trace", "");
        Path storm = place.isEmpty() ? KEPT : Path.of(place);

        Replay replay = Replay.of(Recording.read(storm).first(2_000), RUNS.resolve("kept"));

        System.out.println(replay);
        assertThat(replay.isAccepted()).as("%s", replay).isTrue();
    }

    /**
     * In these storms, DynamoDB Local removed an item soon after its expiry. In the first, a read found none. In the
     * second, the next request was an acquire that the item would have refused; in the third, it was a release in a batch.
     */
    @ParameterizedTest
    @ValueSource(strings = {"early-removal", "removal-before-an-acquire", "removal-before-a-release"})
    void theRemovalOfAnItemThatHasJustExpiredIsABehaviour(String storm) throws Exception {
        Replay replay = Replay.of(Recording.read(HISTORIES.resolve(storm + ".zip")), RUNS.resolve(storm));

        assertThat(replay.isAccepted()).as("%s", replay).isTrue();
    }

    /** Each grant may have come just after its caller gave up. */
    @Test
    void aHandOverOfALeaseThatItsCallerNoLongerWantedIsABehaviour() throws Exception {
        Recording recording = Recording.read(KEPT);
        List<Line> ungranted = recording.lines().stream()
                .filter(line ->
                        !List.of("granted", "sample").contains(line.event().kind()))
                .toList();

        Replay replay = Replay.of(recording.with(ungranted), RUNS.resolve("ungranted"));

        assertThat(ungranted).hasSizeLessThan(recording.lines().size());
        assertThat(replay.isAccepted()).as("%s", replay).isTrue();
    }

    /** The second renewal is followed by a release, and the fourth one by a hand-over. */
    @ParameterizedTest(name = "renewal {0}")
    @ValueSource(ints = {2, 4})
    void aRenewalThatIsRecordedJustAfterTheEndIsABehaviour(int number) throws Exception {
        Recording recording = Recording.read(KEPT);

        Replay replay = Replay.of(
                recording.with(LateRenewals.inOrder(delayed(recording.lines(), number, 1))),
                RUNS.resolve("late-renewal-" + number));

        assertThat(replay.isAccepted()).as("%s", replay).isTrue();
    }

    @ParameterizedTest(name = "renewal {0}")
    @ValueSource(ints = {2, 4})
    void aRenewalThatIsSentAfterTheEndIsRefused(int number) throws Exception {
        Recording recording = Recording.read(KEPT);
        List<Line> delayed = delayed(recording.lines(), number, 251);

        Replay replay = Replay.of(
                recording.with(LateRenewals.inOrder(delayed)), RUNS.resolve("renewal-after-the-end-" + number));

        assertThat(replay.refused())
                .extracting(line -> line.event().text(Sent.VERB))
                .isEqualTo("renew");
    }

    /** Delays the record of this renewal until so many milliseconds after the next write of its process, and its reply too. */
    private static List<Line> delayed(List<Line> lines, int number, int millis) {
        Line renewal = lines.stream()
                .filter(line -> line.event().text(Sent.VERB).equals("renew"))
                .skip(number - 1)
                .findFirst()
                .orElseThrow();
        Line end = lines.stream()
                .skip(lines.indexOf(renewal) + 1)
                .filter(line -> isOf(line, renewal.process())
                        && line.event().has(Sent.EXPIRY)
                        && line.event().has(Sent.VERB))
                .findFirst()
                .orElseThrow();
        long sent = end.nanos() + millis * 1_000_000L;
        List<Line> delayed = new ArrayList<>(lines);
        delayed.removeIf(line -> isSampleBetween(renewal, line, end));
        Line reply = delayed.stream()
                .filter(line -> isReplyTo(renewal, line))
                .findFirst()
                .orElseThrow();
        with(with(renewal, Event.FROM, sent), Recording.CLOCK, sent);
        with(reply, Event.TO, sent + 1_000_000);
        return delayed;
    }

    private static boolean isReplyTo(Line request, Line line) {
        return isOf(line, request.process())
                && line.event().kind().equals("answered")
                && line.event().number("request") == request.event().number("request");
    }

    /** A holder cannot rely on a renewal before its reply. */
    private static boolean isSampleBetween(Line first, Line line, Line last) {
        return isOf(line, first.process())
                && line.event().kind().equals("sample")
                && line.nanos() > first.nanos()
                && line.nanos() < last.nanos();
    }

    static Stream<Arguments> plants() {
        return Stream.of(
                arguments("refused acquire counts as applied", new Plant("acquire refused", 3, APPLIED)),
                arguments("refused release counts as applied", new Plant("release refused", 1, APPLIED)),
                arguments("read shows an item that was not there", new Plant("read found", 9, plus(Event.TOKEN, 1))),
                arguments("item is gone before it expires", new Plant("read found", 9, TraceTest::gone)),
                arguments("token is lower than the clock allows", new Plant("acquire", 5, plus(Event.TOKEN, -3_000))),
                arguments("expiry is before the end", new Plant("acquire", 6, plus(Sent.EXPIRY, -4))),
                arguments("renewal moves the expiry back", new Plant("renew", 4, plus(Sent.EXPIRY, -4))),
                arguments("lease counts as free too early", new Plant("acquire", 12, TraceTest::freeTooEarly)),
                arguments("version counts as dead too early", new Plant("acquire", 12, TraceTest::deadTooEarly)),
                arguments("renewal does not allow all versions", new Plant("renew", 5, TraceTest::narrow)),
                arguments("renewal after another's grant", new Plant("granted", 15, TraceTest::renewalOfAnother)),
                arguments("grant has another token", new Plant("granted", 6, plus(Event.TOKEN, 1))),
                arguments("holder relies on more than it has", new Plant("sample", 6, plus("left", TTL_NANOS))));
    }

    private static Change plus(String name, long difference) {
        return (before, line) -> with(line, name, line.event().number(name) + difference);
    }

    private static Line with(Line line, String name, long number) {
        return new Line(line.process(), line.event().with(name, number));
    }

    private static Line gone(List<Line> before, Line reply) {
        return new Line(reply.process(), reply.event().with("item", "none"));
    }

    private static Line freeTooEarly(List<Line> before, Line acquire) {
        return with(acquire, Sent.FREE_BELOW, acquire.event().number(Sent.EXPIRY));
    }

    /** Counts the version dead that another process was the last to write. */
    private static Line deadTooEarly(List<Line> before, Line acquire) {
        String version = last(before, line -> line.event().has(Sent.VERSION) && !isOf(line, acquire.process()))
                .event()
                .text(Sent.VERSION);
        return new Line(acquire.process(), acquire.event().with(Sent.DEAD, version));
    }

    /** Leaves out the version sent last, which may be that of the item. */
    private static Line narrow(List<Line> before, Line renewal) {
        String first = renewal.event().text(Sent.OWN);
        String none = first.substring(0, first.length() - 1) + "0";
        return new Line(renewal.process(), renewal.event().with(Sent.OWN + "Last", none));
    }

    /** Lets a process renew once more that had the lease before this grant to another one. */
    private static Line renewalOfAnother(List<Line> before, Line grant) {
        Line renewal =
                last(before, line -> line.event().text(Sent.VERB).equals("renew") && !isOf(line, grant.process()));
        Event again = Event.parse(renewal.event().toString()).with("request", NEW_REQUEST);
        return new Line(renewal.process(), again.with(Event.FROM, grant.nanos()).with(Recording.CLOCK, grant.nanos()));
    }

    private static boolean isOf(Line line, String process) {
        return line.process().equals(process);
    }

    private static Line last(List<Line> lines, Predicate<Line> matching) {
        return lines.stream().filter(matching).reduce((first, second) -> second).orElseThrow();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("plants")
    void anAlteredLineIsRefused(String name, Plant plant) throws Exception {
        Recording recording = Recording.read(KEPT);
        List<Line> altered = plant.in(recording.lines());

        Replay replay = Replay.of(recording.with(altered), RUNS.resolve(name.replaceAll("\\W+", "-")));

        assertThat(replay.isAccepted()).as("%s", replay).isFalse();
        assertThat(replay.refused()).as("the altered line").isEqualTo(altered.get(altered.size() - 1));
    }
}
