package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.broken;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Renewals that fall due together are one request. Each is applied or refused individually (protocol 5.2, 5.5). */
class BatchedRenewalsTest {

    private static final Duration HEARTBEAT = Bench.TTL.dividedBy(3);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Consumer<ScriptedStore.Request> DENIED = request -> {
        if (request.isBatch()) {
            request.fail(StoreReply.FailureKind.BATCH_REJECTED, "no permission for dynamodb:PartiQLUpdate");
        } else {
            request.deliver();
        }
    };

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private List<Lease> acquire(int count) {
        List<Lease> leases = IntStream.range(0, count)
                .mapToObj(i -> here.acquire("key-" + i))
                .toList();
        here.store.verbs();
        return leases;
    }

    /** Returns the number of renewals in each request that was sent since the last call. */
    private List<Integer> sizes() {
        List<Integer> sizes = here.store.sent(RENEW).stream()
                .map(request -> request.keys().size())
                .toList();
        here.store.verbs();
        return sizes;
    }

    private ScriptedStore.Request batch() {
        while (here.store.sent(RENEW).isEmpty()) {
            bench.advance(Duration.ofMillis(1));
        }
        ScriptedStore.Request batch = here.store.sent(RENEW).get(0);
        assertThat(batch.isBatch()).isTrue();
        return batch;
    }

    private void assertHeldFor(Duration duration, List<Lease> leases) {
        for (long second = 0; second < duration.toSeconds(); second++) {
            assertThat(leases).allMatch(Lease::isValid);
            leases.forEach(bench::assertCovered);
            bench.advance(Duration.ofSeconds(1));
        }
    }

    // ---- batch sizes

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "25, 1", "26, 2", "50, 2", "51, 3"})
    void asManyRequestsAsTheyNeedAndNoMore(int leases, int requests) {
        List<Lease> held = acquire(leases);

        bench.advance(HEARTBEAT);

        assertThat(sizes()).hasSize(requests).allMatch(size -> size <= 25);
        assertHeldFor(LONG, held);
    }

    @Test
    void aLoneRenewalIsAWrite() {
        acquire(1);

        bench.advance(HEARTBEAT);

        assertThat(here.store.last(RENEW).command).isInstanceOf(RenewCommand.class);
    }

    @Test
    void whatWasRenewedTogetherStaysTogether() {
        List<Lease> held = acquire(25);

        for (int heartbeat = 0; heartbeat < 20; heartbeat++) {
            bench.advance(HEARTBEAT);
        }

        assertThat(sizes()).containsOnly(25).hasSizeBetween(20, 23);
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void aLeaseOfSeveralKeysIsRenewedByItsTransaction() {
        List<Lease> held = new ArrayList<>(acquire(2));
        held.add(here.acquire(LeaseRequest.ofAll("a", "b")));
        here.store.verbs();

        bench.advance(HEARTBEAT);

        assertThat(here.store.sent(RENEW))
                .extracting(request -> request.isBatch())
                .containsExactlyInAnyOrder(true, false);
        assertHeldFor(LONG, held);
    }

    @Test
    void manyLeasesAreRenewedInFewRequestsAndNoneLaterThanItsInterval() {
        Bench.Node many = bench.start(
                "many", builder -> builder.ttl(Duration.ofSeconds(20)).heartbeatInterval(Duration.ofSeconds(5)));
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            held.add(many.acquire("key-" + i));
            bench.advance(Duration.ofMillis(1)); // by the end, the first ones have been renewed once
        }
        Map<String, Long> last = new HashMap<>();
        List<Integer> requests = new ArrayList<>();
        many.store.verbs();
        long longest = 0;
        for (int i = 0; i < 3_000; i++) {
            bench.advance(Duration.ofMillis(10));
            for (ScriptedStore.Request request : many.store.sent(RENEW)) {
                for (String key : request.keys()) {
                    Long before = last.put(key, bench.time.elapsed());
                    longest = before == null ? longest : Math.max(longest, bench.time.elapsed() - before);
                }
            }
            requests.addAll(many.store.sent(RENEW).stream()
                    .map(request -> request.keys().size())
                    .toList());
            many.store.verbs();
        }

        assertThat(last).hasSize(5_000);
        assertThat(Duration.ofNanos(longest)).isLessThanOrEqualTo(Duration.ofMillis(5_010)); // sampled every 10 ms
        assertThat(requests.stream().mapToInt(size -> size).average().orElse(0)).isGreaterThan(24);
        assertThat(requests.stream().mapToInt(size -> size).sum()).isLessThan(5_000 * 7); // within six intervals
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void leasesThatAreFarFromTheirHeartbeatAreLeftAlone() {
        acquire(1);
        bench.advance(Duration.ofSeconds(2));
        here.acquire("later");

        bench.advance(HEARTBEAT.minusSeconds(2));

        assertThat(sizes()).containsExactly(1);
    }

    @Test
    void aClockThatJumpsRenewsAllAtOnceInBatches() {
        List<Lease> held = acquire(60);
        here.machine.jumpWallClock(Duration.ofHours(1));

        held.get(0).isValid();
        bench.advance(Duration.ofMillis(1));

        assertThat(here.store.sent(RENEW).stream()
                        .mapToInt(request -> request.keys().size())
                        .sum())
                .isEqualTo(60);
        assertThat(sizes()).hasSizeLessThanOrEqualTo(4);
        assertThat(held).allMatch(Lease::isValid);
        assertHeldFor(LONG, held);
    }

    // ---- replies

    @Test
    void oneThatIsRefusedLosesItsLeaseOnly() {
        List<Lease> held = acquire(3);
        bench.table.put(new LeaseItem("key-1", "another", 2_000_000_000L, 1L, 9_000_000_000_000L, "other", 1L, null));

        batch();

        assertThat(held.get(1).lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.TAKEN);
        assertHeldFor(LONG, List.of(held.get(0), held.get(2)));
    }

    @Test
    void oneWhoseItemIsGoneIsRevokedAlone() {
        List<Lease> held = acquire(3);
        bench.table.remove("key-2");

        batch();

        assertThat(held.get(2).lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED);
        assertHeldFor(LONG, held.subList(0, 2));
    }

    @Test
    void aLostReplyIsNoLossAndEachTakesItsOwnWriteForItsOwn() {
        List<Lease> held = acquire(5);
        here.store.next(RENEW, REPLY_LOST);

        batch();
        bench.advance(Duration.ofSeconds(3)); // its timeout and a pause

        assertThat(sizes()).as("retried singly").containsOnly(5, 1);
        assertHeldFor(LONG, held);
    }

    @Test
    void aLostRequestIsTriedAgainWithinTheValidity() {
        List<Lease> held = acquire(5);
        here.store.next(RENEW, LOST);

        assertHeldFor(LONG, held);
    }

    @Test
    void aReplyThatComesAfterItsTimeStillConfirmsEach() {
        List<Lease> held = acquire(3);
        here.store.always(RENEW, LOST);
        ScriptedStore.Request first = batch();
        List<StoreReply> outcomes = first.applyEach();
        bench.advance(Duration.ofSeconds(4));
        Duration before = held.get(2).remaining();

        first.answerEach(outcomes);

        assertThat(held).allMatch(lease -> lease.remaining().compareTo(before) > 0);
        held.forEach(bench::assertCovered);
    }

    @Test
    void eachRenewalOfAMixedReplyIsTakenByItself() {
        List<Lease> held = acquire(4);
        bench.table.remove("key-1");
        here.store.next(RENEW, request -> {
            List<StoreReply> outcomes = new ArrayList<>(request.applyEach());
            outcomes.set(2, failed(StoreReply.FailureKind.NOT_APPLIED));
            outcomes.set(3, failed(StoreReply.FailureKind.UNKNOWN));
            request.answerEach(outcomes);
        });
        ScriptedStore.Request first = batch();
        here.store.verbs();

        assertThat(held.get(0).remaining()).isGreaterThan(Duration.ofSeconds(9));
        assertThat(held.get(1).lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED);
        assertThat(held.get(2).remaining()).isLessThan(Duration.ofSeconds(7));
        assertThat(held.get(3).remaining()).isLessThan(Duration.ofSeconds(7));
        bench.advance(Duration.ofSeconds(1));
        assertThat(here.store.sent(RENEW))
                .extracting(ScriptedStore.Request::keys)
                .containsExactlyInAnyOrder(
                        List.of(first.keys().get(2)), List.of(first.keys().get(3)));
        assertHeldFor(LONG, List.of(held.get(0), held.get(2), held.get(3)));
    }

    private static StoreReply failed(StoreReply.FailureKind kind) {
        return new StoreReply.Failed(kind, new IllegalStateException("statement failed"), null, false);
    }

    @Test
    void validityCountsFromBeforeTheBatchWasSent() {
        List<Lease> held = acquire(3);
        here.store.always(RENEW, LOST);
        ScriptedStore.Request first = batch();
        Duration sent = Duration.ofNanos(bench.time.elapsed());
        bench.advance(Duration.ofMillis(1_500));

        first.deliver();

        Duration since = Duration.ofNanos(bench.time.elapsed()).minus(sent);
        assertThat(held).allMatch(lease -> lease.remaining().compareTo(Bench.TTL.minus(since)) < 0);
    }

    @Test
    void noBatchOutlivesOneOfItsLeases() {
        List<Lease> held = acquire(3);
        here.store.always(LOST);

        ScriptedStore.Request batch = batch();

        assertThat(held).allMatch(lease -> batch.timeout.compareTo(lease.remaining()) <= 0);
        assertThat(batch.timeout).isPositive();
    }

    @Test
    void aReleaseWhileTheBatchIsInFlightIsNoBodysLoss() {
        List<Lease> held = acquire(3);
        here.store.always(RENEW, LOST);
        ScriptedStore.Request first = batch();

        held.get(1).close();
        here.store.heal();
        first.deliver();

        assertThat(bench.isHeld("key-1")).isFalse();
        assertThat(here.events).noneMatch(event -> event instanceof LeaseEvent.Lost);
        assertHeldFor(LONG, List.of(held.get(0), held.get(2)));
        assertThat(bench.isHeld("key-1")).isFalse();
    }

    @Test
    void oneReplyIsOneWitnessOfTheTimeHoweverManyLeasesItTellsOf() {
        Bench.Node slow = bench.start("slow", builder -> builder.ttl(Duration.ofMinutes(10)));
        slow.acquire("one");
        slow.acquire("two");
        bench.advance(Duration.ofMinutes(3)); // by then, these clock samples are too old
        slow.store.next(RENEW, request -> {
            assertThat(request.keys()).hasSize(2);
            slow.store.dates(date -> date.plusSeconds(60));
            request.deliver();
            slow.store.dates(date -> date);
        });
        slow.store.always(LOST);
        bench.advance(Duration.ofSeconds(20));

        slow.leases.acquireAsync(LeaseRequest.of("another's"));

        AcquireCommand acquire = (AcquireCommand) slow.store.last(ACQUIRE).command;
        assertThat(acquire.freeBelow())
                .as("a take-over needs two replies that agree")
                .isNull();
    }

    @Test
    void aReleasedLeaseIsRenewedNoMore() {
        List<Lease> held = acquire(3);
        held.get(1).close();
        here.store.verbs();

        bench.advance(LONG);

        assertThat(here.store.sent(RENEW)).noneMatch(request -> request.keys().contains("key-1"));
        assertThat(held.get(0).isValid()).isTrue();
    }

    /** The first lease is released after its renewal was created, and before the batch is sent. */
    @Test
    void aLeaseThatIsReleasedWhileItsBatchIsCreatedIsNotRenewed() {
        List<Lease> held = new ArrayList<>();
        AtomicInteger created = new AtomicInteger();
        Bench.Node node = bench.start(
                "releasing",
                builder -> ((EngineBuilder) builder).rules(new FeatureRules() {
                    @Override
                    public VersionRange ownBeforeRenew(Tenure tenure) {
                        if (created.incrementAndGet() == 3) {
                            held.get(0).releaseAsync();
                        }
                        return super.ownBeforeRenew(tenure);
                    }
                }));
        for (int i = 0; i < 3; i++) {
            held.add(node.acquire("of-3-" + i));
        }

        bench.advance(HEARTBEAT);

        assertThat(node.store.sent(RENEW).get(0).keys()).containsExactlyInAnyOrder("of-3-1", "of-3-2");
        assertThat(node.store.sent(RENEW)).noneMatch(request -> request.keys().contains("of-3-0"));
        assertThat(bench.isHeld("of-3-0")).isFalse();
    }

    @Test
    void nothingIsRenewedAfterTheClose() {
        acquire(30);
        here.leases.closeAsync();
        bench.advance(LONG.multipliedBy(2));
        here.store.verbs();

        bench.advance(LONG);

        assertThat(sizes()).isEmpty();
    }

    @Test
    void aStoreThatThrowsIsAFailureLikeOthers() {
        List<Lease> held = acquire(3);
        here.store.next(RENEW, request -> {
            throw new IllegalStateException("client is broken");
        });

        assertHeldFor(LONG, held);
    }

    @Test
    void anOutageFailsEachAndAllGoOn() {
        List<Lease> held = acquire(30);
        here.store.always(RENEW, refused("ProvisionedThroughputExceededException"));
        bench.advance(Duration.ofSeconds(5));
        here.store.always(RENEW, broken("InternalServerError"));
        bench.advance(Duration.ofSeconds(2));
        here.store.heal();

        bench.advance(Duration.ofSeconds(2));
        assertHeldFor(LONG, held);
        bench.advance(LONG.multipliedBy(10));
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void oneThatHangsHoldsUpTheOthersOnceOnly() {
        List<Lease> held = new ArrayList<>(acquire(10));
        here.store.always("key-3", LOST);

        bench.advance(LONG);

        assertThat(here.store.sent(RENEW))
                .filteredOn(request -> request.keys().contains("key-3"))
                .extracting(request -> request.keys().size())
                .as("until the last third of the ttl in batches, then alone")
                .startsWith(10)
                .endsWith(1, 1);
        assertThat(held.remove(3).lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);
        assertHeldFor(LONG, held);
    }

    // ---- rejected batches

    private List<String> infos() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    @Test
    void whereBatchesAreDeniedEachGoesByItselfAndOneLineSaysSo() {
        List<Lease> held = acquire(30);
        here.store.always(RENEW, DENIED);

        bench.advance(HEARTBEAT);

        assertThat(sizes()).containsOnlyOnce(25).contains(1);
        assertThat(infos())
                .containsExactly(
                        "WARN Renewals and releases in table 'scripted' are sent one by one, up to 25 times as many"
                                + " requests, because batches fail: \"no permission for dynamodb:PartiQLUpdate\"; they"
                                + " need the IAM action 'dynamodb:PartiQLUpdate' and a server"
                                + " that has BatchExecuteStatement; they are tried again from time to time");
        sizes();
        assertHeldFor(Duration.ofSeconds(50), held);
        assertThat(sizes()).containsOnly(1);
        assertThat(infos()).hasSize(1);
    }

    @Test
    void deniedBatchesAreTriedAgainAfterAMinuteAndEverMoreRarely() {
        List<Lease> held = acquire(30);
        here.store.always(RENEW, DENIED);
        bench.advance(HEARTBEAT);
        sizes();

        bench.advance(Duration.ofHours(3));

        assertThat(sizes()).filteredOn(size -> size > 1).hasSizeBetween(4, 7);
        here.store.heal();
        bench.advance(Duration.ofHours(1));
        sizes();
        bench.advance(HEARTBEAT.multipliedBy(2));
        assertThat(sizes()).anyMatch(size -> size > 1);
        assertThat(infos())
                .last()
                .isEqualTo("INFO Renewals and releases in table 'scripted' are sent in batches again");
        assertHeldFor(LONG, held);
    }

    @Test
    void anExpiredTokenSaysNothingOfBatches() {
        List<Lease> held = acquire(30);
        here.store.next(RENEW, request -> request.fail(StoreReply.FailureKind.NOT_APPLIED, "ExpiredTokenException"));
        bench.advance(HEARTBEAT.plusSeconds(1));
        sizes();

        bench.advance(HEARTBEAT.multipliedBy(8));

        assertThat(sizes()).hasSizeLessThan(30).anyMatch(size -> size == 25);
        assertThat(infos()).isEmpty();
        assertHeldFor(LONG, held);
    }

    @Test
    void batchesThatAlwaysFailWhileSingleRenewalsSucceedAreNoticedAndEnded() {
        List<Lease> held = acquire(30);
        here.store.always(RENEW, request -> {
            if (request.isBatch()) {
                request.answer(new StoreReply.Failed(
                        StoreReply.FailureKind.UNKNOWN,
                        new LeaseStoreException("Batch failed with status 403: blocked", null),
                        null,
                        false));
            } else {
                request.deliver();
            }
        });

        bench.advance(Bench.TTL);

        assertThat(infos())
                .singleElement()
                .asString()
                .startsWith("WARN Renewals and releases in table 'scripted' are sent one by one")
                .contains("because batches fail: \"Batch failed with status 403: blocked\"");
        sizes();
        bench.advance(HEARTBEAT.multipliedBy(2));
        assertThat(sizes()).containsOnly(1);
        assertThat(held).allMatch(Lease::isValid);
        bench.advance(Duration.ofHours(3));
        assertThat(infos()).as("said once").hasSize(1);
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void anOutageThatAnswersWithErrorsSaysNothingOfBatches() {
        List<Lease> held = acquire(30);
        here.store.always(
                RENEW,
                request -> request.answer(new StoreReply.Failed(
                        StoreReply.FailureKind.UNKNOWN, new LeaseStoreException("503", null), null, false)));
        bench.advance(HEARTBEAT.plusSeconds(2));
        here.store.heal();

        bench.advance(HEARTBEAT.multipliedBy(8));

        assertThat(infos()).filteredOn(line -> line.contains("one by one")).isEmpty();
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void aStatementThatIsRejectedInItsBatchIsRenewedAlone() {
        List<Lease> held = acquire(3);
        here.store.next(RENEW, request -> request.fail(StoreReply.FailureKind.REJECTED, "ValidationError"));

        bench.advance(HEARTBEAT.plusSeconds(1));

        assertThat(sizes()).startsWith(3, 1, 1, 1);
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void noLeaseIsRenewedLaterForIt() {
        List<Lease> held = acquire(30);
        here.store.always(RENEW, DENIED);

        bench.advance(HEARTBEAT);

        assertThat(held).allMatch(lease -> lease.remaining().compareTo(Bench.TTL.minus(HEARTBEAT)) > 0);
        assertThat(held).allMatch(lease -> lease.remaining().compareTo(Duration.ofSeconds(9)) > 0);
    }

    @Test
    void whatIsDeniedOneByOneTooSaysNothingOfBatches() {
        List<Lease> held = acquire(30);
        here.store.always(RENEW, request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));
        bench.advance(Duration.ofSeconds(5));
        here.store.heal();
        bench.advance(Duration.ofSeconds(3));
        here.store.verbs();

        bench.advance(HEARTBEAT.multipliedBy(8)); // they fall due together again

        assertThat(sizes()).anyMatch(size -> size > 1);
        assertThat(infos()).isEmpty();
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void whileSingleRenewalsAreDeniedTooBatchesDoNotRestLongerThanThey() {
        List<Lease> held = acquire(30);
        here.store.always(
                RENEW,
                request -> request.fail(
                        request.isBatch() ? StoreReply.FailureKind.BATCH_REJECTED : StoreReply.FailureKind.REJECTED,
                        "ResourceNotFoundException"));
        bench.advance(Duration.ofSeconds(5));
        here.store.heal();
        bench.advance(HEARTBEAT);
        here.store.verbs();

        bench.advance(HEARTBEAT.multipliedBy(2));

        assertThat(sizes()).anyMatch(size -> size > 1);
        assertThat(infos()).isEmpty();
        assertThat(held).allMatch(Lease::isValid);
    }

    @Test
    void oneThatABatchDeniesSaysNothingOfTheOthers() {
        List<Lease> held = acquire(5);
        here.store.next(RENEW, request -> {
            List<StoreReply> outcomes = new ArrayList<>(request.applyEach());
            outcomes.set(2, failed(StoreReply.FailureKind.REJECTED));
            request.answerEach(outcomes);
        });

        assertHeldFor(LONG, held);

        assertThat(sizes()).contains(5);
        assertThat(infos()).isEmpty();
    }

    @Test
    void aRefusalThatShowsNoItemIsAskedForAgainAlone() {
        List<Lease> held = acquire(5);
        here.store.next(RENEW, request -> {
            List<StoreReply> outcomes = new ArrayList<>(request.applyEach());
            outcomes.set(2, new StoreReply.Refused(null, outcomes.get(2).date(), false));
            request.answerEach(outcomes);
        });

        bench.advance(HEARTBEAT);

        assertThat(sizes()).startsWith(5, 1);
        assertHeldFor(LONG, held);
    }

    @Test
    void aDeniedRenewalIsNotSentAgainAfterItsRelease() {
        List<Lease> held = acquire(3);
        here.store.always(RENEW, LOST);
        ScriptedStore.Request batch = batch();
        here.store.heal();
        held.get(0).close();
        here.store.verbs();

        batch.fail(StoreReply.FailureKind.BATCH_REJECTED, "denied");

        assertThat(here.store.sent(RENEW))
                .extracting(ScriptedStore.Request::keys)
                .containsExactlyInAnyOrder(List.of("key-1"), List.of("key-2"));
        assertThat(bench.isHeld("key-0")).isFalse();
    }
}
