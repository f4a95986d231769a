package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.MARK;
import static io.leasekit.engine.ScriptedStore.broken;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.log.CallLog;
import io.leasekit.log.LineLimit;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An outage of the table: a line at its begin and one at its end, and few for the leases. */
class OutageLogTest {

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Set<ScriptedStore.Verb> failing = EnumSet.noneOf(ScriptedStore.Verb.class);
    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private List<String> lines() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getLevel)
                .map(Level::toString)
                .toList();
    }

    private List<String> texts() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void twoLeasesAndAMinuteAreFourLines() {
        here.acquire("a");
        here.acquire("b");
        here.store.always(broken("Connection refused"));
        bench.advance(Duration.ofSeconds(59));
        here.store.heal();
        here.acquire("c");

        assertThat(texts()).hasSize(4);
        assertThat(texts().get(0))
                .startsWith("Requests to table 'scripted' have failed for 3")
                .endsWith(": Connection refused. Leases lost meanwhile: 0. Leases held: 2, acquires waiting: 0");
        assertThat(texts().subList(1, 3))
                .allMatch(text -> text.matches("Lease '[ab]' was lost: EXPIRED, held for .* s"));
        assertThat(texts().get(3))
                .matches(
                        "Requests to table 'scripted' succeed again after (5\\d|1 min).*s\\. Leases lost meanwhile: 2");
        assertThat(lines()).containsExactly("WARN", "WARN", "WARN", "INFO");
    }

    /** A mark decides nothing and is not tried again, so no later write shows that the table answers. */
    @Test
    void lostMarksAreNoOutageWhileLooksAreAnswered() {
        Bench.Node other = bench.start("other");
        here.store.always(MARK, LOST);
        List<Lease> first = List.of(other.acquire("a"), other.acquire("b"));
        List.of("a", "b").forEach(key -> {
            other.waiting(key);
            here.waiting(key);
        });
        bench.advance(Duration.ofSeconds(2));
        first.forEach(lease -> {
            lease.close(); // handed over, which is marked
            bench.advance(Duration.ofSeconds(4));
        });
        assertThat(here.store.sent(MARK)).hasSizeGreaterThan(1);
        assertThat(texts()).isEmpty();
    }

    @Test
    void thousandsOfLeasesAreAtMostTwentyLinesAMinuteBesideAHundredOfLostLeases() {
        for (int i = 0; i < 10_000; i++) {
            here.leases.acquireAsync(LeaseRequest.of("key-" + i));
        }
        bench.advance(Duration.ofSeconds(5));
        assertThat(here.leases.held()).hasSize(10_000);
        here.store.always(LOST);
        bench.advance(Duration.ofSeconds(59));

        assertThat(texts().stream().filter(text -> !text.contains("was lost"))).hasSizeBetween(2, 20);
        assertThat(texts().stream().filter(text -> text.contains("was lost"))).hasSize(100);
        bench.advance(Duration.ofMinutes(1));
        assertThat(texts())
                .anyMatch(text -> text.matches("… and \\d+ more lines about single leases in the last minute,"
                        + " 9900 of them about lost leases"));
        assertThat(texts().stream().filter(text -> !text.contains("was lost"))).hasSizeLessThanOrEqualTo(40);
    }

    @Test
    void revokedPermissionsAreAnOutageAndEachLossHasItsLine() {
        for (int i = 0; i < 40; i++) {
            here.acquire("key-" + i);
        }
        here.store.always(request -> request.fail(
                request.isBatch() ? StoreReply.FailureKind.BATCH_REJECTED : StoreReply.FailureKind.REJECTED,
                "AccessDeniedException: not authorized"));
        bench.advance(Duration.ofSeconds(30));

        assertThat(texts().get(0))
                .matches("Requests to table 'scripted' have failed for \\S+ s: AccessDeniedException: .*"
                        + " Leases held: 40, .*");
        assertThat(texts().stream().filter(text -> text.matches("Lease 'key-\\d+' was lost: .*")))
                .hasSize(40);
        assertThat(texts()).noneMatch(text -> text.contains("PartiQLUpdate"));
        here.store.heal();
        here.acquire("c");
        assertThat(texts())
                .last()
                .asString()
                .startsWith("Requests to table 'scripted' succeed again after ")
                .contains("Leases lost meanwhile: 40");
    }

    /** A policy that allows reads only, and a table that was deleted: what DynamoDB says is in the line. */
    @ParameterizedTest
    @CsvSource({"AccessDeniedException: no policy allows dynamodb:UpdateItem, true", "ResourceNotFoundException, false"
    })
    void whatIsRejectedForEachKeyIsAnOutage(String why, boolean readsAreAnswered) {
        for (String key : List.of("a", "b", "c")) {
            here.acquire(key);
        }
        bench.start("there").acquire("held");
        var unused = here.waiting("held"); // it looks by reads
        here.store.always(request -> {
            if (readsAreAnswered && request.verb == ScriptedStore.Verb.READ) {
                request.deliver();
            } else {
                request.fail(
                        request.isBatch() ? StoreReply.FailureKind.BATCH_REJECTED : StoreReply.FailureKind.REJECTED,
                        why);
            }
        });
        bench.advance(Duration.ofSeconds(30));
        here.store.heal();
        here.acquire("d");

        assertThat(texts().get(0)).matches("Requests to table 'scripted' have failed for \\S+ s: " + why + "\\. .*");
        assertThat(texts().stream().filter(text -> text.contains("was lost"))).hasSize(3);
        assertThat(texts())
                .last()
                .asString()
                .startsWith("Requests to table 'scripted' succeed again after ")
                .contains("Leases lost meanwhile: 3");
        assertThat(texts()).hasSize(5).noneMatch(text -> text.contains("PartiQLUpdate"));
    }

    /** A policy that has lost the keys of one prefix: what is denied is in the lines of these leases. */
    @Test
    void keysThatAPolicyLeavesOutAreLostWithTheReason() {
        for (String key : List.of("a1", "a2", "a3", "b1", "b2")) {
            here.acquire(key);
        }
        here.store.always(request -> {
            List<StoreReply> replies = new ArrayList<>(request.applyEach());
            for (int i = 0; i < replies.size(); i++) {
                if (request.keys().get(i).startsWith("b")) {
                    replies.set(
                            i,
                            new StoreReply.Failed(
                                    StoreReply.FailureKind.REJECTED,
                                    new IllegalStateException("AccessDeniedException: dynamodb:LeadingKeys"),
                                    null,
                                    false));
                }
            }
            request.answerEach(replies);
        });
        bench.advance(Duration.ofMinutes(1));

        assertThat(texts().stream().filter(text -> text.matches("Lease 'b[12]' was lost: .*")))
                .hasSize(2);
        assertThat(texts())
                .noneMatch(text -> text.contains("'a"))
                .anyMatch(text -> text.contains("AccessDeniedException: dynamodb:LeadingKeys"));
    }

    @Test
    void linesAboutOtherThingsTakeNoRoomOfLostLeases() {
        List<String> lines = new ArrayList<>();
        LineLimit limit = new LineLimit(bench.time, () -> false);
        for (int i = 0; i < 40; i++) {
            limit.warn(() -> lines.add("at risk"));
        }
        for (int i = 0; i < 40; i++) {
            limit.lost(() -> lines.add("lost"));
        }

        assertThat(lines).filteredOn("at risk"::equals).hasSize(15);
        assertThat(lines).filteredOn("lost"::equals).hasSize(40);
    }

    @Test
    void aShortOutageSoonAfterAnotherHasItsOwnLines() {
        here.acquire("a");
        here.acquire("b");
        fail(Duration.ofSeconds(70));
        bench.advance(Duration.ofSeconds(15));
        here.acquire("a");
        here.acquire("b");
        logged.list.clear();
        fail(Duration.ofSeconds(8));
        bench.advance(Duration.ofMinutes(5));

        List<String> ofTable =
                texts().stream().filter(text -> text.contains(" to table ")).toList();
        assertThat(ofTable).hasSize(2);
        assertThat(ofTable.get(0)).startsWith("Requests to table 'scripted' have failed for 3");
        assertThat(ofTable.get(1)).matches("Requests to table 'scripted' succeed again after \\d\\S* s\\. .*");
    }

    private void fail(Duration duration) {
        here.store.always(broken("Connection refused"));
        bench.advance(duration);
        here.store.heal();
        bench.advance(Duration.ofSeconds(1));
    }

    @Test
    void aThrottledTableIsAnOutageWithThisCause() {
        here.acquire("a");
        here.acquire("b");
        here.store.always(request -> request.fail(StoreReply.FailureKind.THROTTLED, "Rate exceeded"));
        bench.advance(Duration.ofSeconds(30));
        here.store.heal();
        here.acquire("c");

        assertThat(texts().get(0)).matches("Requests to table 'scripted' have failed for .* s: Rate exceeded\\. .*");
        assertThat(texts()).hasSize(4); // and two leases were lost
    }

    @Test
    void readsThatAreAnsweredDoNotEndAnOutageOfWrites() {
        here.acquire("a");
        here.acquire("b");
        bench.start("there").acquire("held");
        var unused = here.waiting("held"); // it looks by reads
        for (ScriptedStore.Verb verb : ScriptedStore.Verb.values()) {
            if (verb != ScriptedStore.Verb.READ) {
                failing.add(verb);
            }
        }
        here.store.always(request -> {
            if (failing.contains(request.verb)) {
                request.fail(StoreReply.FailureKind.NOT_APPLIED, "Write capacity");
            } else {
                request.deliver();
            }
        });
        bench.advance(Duration.ofMinutes(1));
        here.store.heal();
        bench.advance(Duration.ofSeconds(1));
        here.acquire("c");

        assertThat(texts()).hasSize(4);
        assertThat(texts().get(0)).matches("Requests to table 'scripted' have failed for .* s: Write capacity\\. .*");
        assertThat(texts().get(3)).startsWith("Requests to table 'scripted' succeed again after ");
    }

    @Test
    void aSingleBadKeyIsNoOutage() {
        here.acquire("good");
        here.acquire("bad");
        here.store.always("bad", broken("Broken item"));
        bench.advance(Duration.ofMinutes(3));

        assertThat(texts()).noneMatch(text -> text.contains("have failed for"));
        assertThat(texts()).hasSize(2); // at risk, and lost
    }

    @Test
    void callsWithoutTheirLeaseAreANumberInTheLinesOfTheOutage() {
        List<String> lines = new ArrayList<>();
        here.acquire("a");
        here.acquire("b");
        here.store.always(broken("Connection refused"));
        bench.advance(Duration.ofSeconds(8));
        for (int i = 0; i < 7; i++) {
            CallLog.count(here.leases, i < 4 ? "job" : "order-#{#id}");
            CallLog.log(here.leases, () -> lines.add("WARN"), () -> lines.add("DEBUG"));
        }
        here.store.heal();
        bench.advance(Duration.ofSeconds(1)); // the first answer lets all go on
        here.acquire("c");
        CallLog.log(here.leases, () -> lines.add("WARN"), () -> lines.add("DEBUG"));

        assertThat(texts())
                .last()
                .asString()
                .endsWith(". Calls without their lease meanwhile: 7 ('job' 4, 'order-#{#id}' 3)");
        assertThat(lines).hasSize(8).endsWith("WARN").filteredOn("WARN"::equals).hasSize(1);
    }

    @Test
    void atMostTenNamesAreInALine() {
        here.acquire("a");
        here.acquire("b");
        here.store.always(broken("Connection refused"));
        bench.advance(Duration.ofSeconds(8));
        for (int i = 0; i < 1_000; i++) {
            CallLog.count(here.leases, "name-" + (i < 500 ? i % 5 : i));
        }
        here.store.heal();
        bench.advance(Duration.ofSeconds(1)); // the first answer lets all go on
        here.acquire("c");

        assertThat(texts())
                .last()
                .asString()
                .endsWith(". Calls without their lease meanwhile: 1000 ('name-0' 100, 'name-1' 100, 'name-2' 100,"
                        + " 'name-3' 100, 'name-4' 100, 'name-500' 1, 'name-501' 1, 'name-502' 1, 'name-503' 1, 'name-504' 1,"
                        + " others 495)");
    }

    @Test
    void aSingleFailureIsNoOutage() {
        here.acquire("a");
        here.store.next(ACQUIRE, broken("Broken"));
        var unused = here.leases.acquireAsync(LeaseRequest.of("b"));
        bench.advance(Duration.ofMinutes(1));

        assertThat(texts()).isEmpty();
    }

    @Test
    void aLeaseThatWasLostIsNotReportedAsUnreleased() {
        Lease lease = here.acquire("a");
        here.store.always(broken("Connection refused"));
        bench.advance(Duration.ofSeconds(12));
        lease.releaseAsync();
        here.leases.acquireAsync(LeaseRequest.of("never granted"));
        bench.advance(Duration.ofMinutes(2));

        assertThat(texts()).noneMatch(text -> text.contains("could not be released"));
    }
}
