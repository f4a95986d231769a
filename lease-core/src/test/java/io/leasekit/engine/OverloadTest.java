package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.StoreReply;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A table that serves fewer requests than the process would like (protocol 8). Nothing is lost that a plain loop with a
 * few requests in flight would keep.
 */
@Tag("full")
class OverloadTest {

    private static final Duration TTL = Duration.ofSeconds(20);
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);
    private static final int LEASES = 2_000;

    private final VirtualTime time = new VirtualTime();
    private final List<LeaseEvent> lost = new ArrayList<>();
    private final List<LeaseEvent> atRisk = new ArrayList<>();
    private final List<CompletableFuture<Optional<Lease>>> acquired = new ArrayList<>();

    private LeaseManager manager(SlowTable table) {
        return manager(table, new FeatureRules());
    }

    private LeaseManager manager(SlowTable table, Duration ttl) {
        return builder(table).ttl(ttl).heartbeatInterval(ttl.dividedBy(3)).build();
    }

    private LeaseManager manager(SlowTable table, FeatureRules rules) {
        return builder(table).rules(rules).build();
    }

    private EngineBuilder builder(SlowTable table) {
        return new EngineBuilder(table)
                .owner("here")
                .ttl(TTL)
                .heartbeatInterval(HEARTBEAT)
                .time(time)
                .random(new SplittableRandom(1))
                .sender(this::soon)
                .callbackExecutor(this::soon)
                .losses(this::soon)
                .listener(event -> {
                    if (event instanceof LeaseEvent.Lost) {
                        lost.add(event);
                    } else if (event instanceof LeaseEvent.AtRisk) {
                        atRisk.add(event);
                    }
                });
    }

    private void soon(Runnable task) {
        time.schedule(0, task);
    }

    /** Acquires so many leases by as many callers as this, each one after the other. */
    private void acquire(LeaseManager leases, int count, int callers) {
        for (int caller = 0; caller < callers; caller++) {
            acquireNext(leases, caller, count, callers);
        }
    }

    private void acquireNext(LeaseManager leases, int number, int count, int callers) {
        if (number < count) {
            CompletableFuture<Optional<Lease>> acquiring = leases.acquireAsync(LeaseRequest.of("key-" + number));
            acquired.add(acquiring);
            acquiring.whenComplete((lease, error) -> acquireNext(leases, number + callers, count, callers));
        }
    }

    private long held() {
        return acquired.stream()
                .filter(acquiring -> acquiring.isDone() && !acquiring.isCompletedExceptionally())
                .filter(acquiring -> acquiring.join().filter(Lease::isValid).isPresent())
                .count();
    }

    private void assertAllHeldFor(Duration duration) {
        time.advance(duration);
        assertThat(acquired).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(lost).isEmpty();
        assertThat(held()).isEqualTo(LEASES);
    }

    @Test
    void aTableThatServesMoreThanNeededKeepsAll() {
        SlowTable table = new SlowTable(time, 1_000);
        acquire(manager(table), LEASES, 50);

        assertAllHeldFor(Duration.ofMinutes(5));

        assertThat(table.mostInFlight()).isLessThanOrEqualTo(40);
        assertThat(table.longestWait()).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void aTableThatServesJustTheHeartbeatsKeepsAll() {
        acquire(manager(new SlowTable(time, LEASES / 5)), LEASES, 50);

        assertAllHeldFor(Duration.ofMinutes(5));
    }

    /** All leases can be renewed before the last third of their ttl, but not as often as their heartbeats would. */
    @Test
    void aTableThatServesFewerThanTheHeartbeatsKeepsAll() {
        acquire(manager(new SlowTable(time, LEASES / 12)), LEASES, 50);

        assertAllHeldFor(Duration.ofMinutes(5));
    }

    @Test
    void aTableThatBecomesSlowKeepsAll() {
        slowDown(new FeatureRules(), LEASES / 15);

        assertAllHeldFor(Duration.ofMinutes(5));
    }

    /** It serves a little less than one renewal of each lease in a ttl. */
    @Test
    void aTableThatBecomesTooSlowForAllKeepsMostOfThem() {
        slowDown(new FeatureRules(), LEASES / 21);

        time.advance(Duration.ofMinutes(5));

        assertThat(held()).isGreaterThan(LEASES / 2);
    }

    /** Acquires all, and then lets the table serve so many writes a second. */
    private void slowDown(FeatureRules rules, int writesPerSecond) {
        SlowTable table = new SlowTable(time, 1_000);
        acquire(manager(table, rules), LEASES, 50);
        time.advance(Duration.ofMinutes(1));
        table.serve(writesPerSecond);
    }

    @Test
    void aTableThatIsSlowAtItsStartKeepsAll() {
        SlowTable table = new SlowTable(time, 1_000).startingSlowly(20, Duration.ofSeconds(10));
        acquire(manager(table), LEASES, 50);

        assertAllHeldFor(Duration.ofMinutes(3));
    }

    @Test
    void aThrottlingTableKeepsAll() {
        acquire(manager(new SlowTable(time, LEASES / 10).throttling()), LEASES, 50);

        assertAllHeldFor(Duration.ofMinutes(5));
    }

    @Test
    void anOutageOfHalfATtlLosesNothing() {
        SlowTable table = new SlowTable(time, 1_000);
        acquire(manager(table), LEASES, 50);
        time.advance(Duration.ofMinutes(1));

        table.goOut();
        time.advance(TTL.dividedBy(2));
        table.comeBack();

        assertAllHeldFor(Duration.ofMinutes(2));
    }

    @Test
    void anOutageCausesFewRequests() {
        SlowTable table = new SlowTable(time, 1_000);
        acquire(manager(table), LEASES, 50);
        time.advance(Duration.ofMinutes(1));
        int before = table.writes();
        time.advance(TTL.dividedBy(2));
        int usual = table.writes() - before;

        table.goOut();
        before = table.writes();
        time.advance(TTL.dividedBy(2));

        assertThat(table.writes() - before).isLessThan(usual);
    }

    @Test
    void newLeasesAreRefusedWhereTheyCouldNotBeRenewed() {
        LeaseManager leases = manager(new SlowTable(time, LEASES / 25));
        acquire(leases, LEASES, 50);

        time.advance(Duration.ofMinutes(5));

        assertThat(lost).isEmpty();
        assertThat(acquired)
                .anySatisfy(acquiring -> assertThat(acquiring)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .havingCause()
                        .isInstanceOf(LeaseStoreException.class)
                        .withMessageContaining("could be sent in time"));
        assertThat(held()).isGreaterThan(LEASES / 3);
    }

    /** Acquires and releases other leases all the time. */
    private void keepBusy(LeaseManager leases) {
        for (int caller = 0; caller < 100; caller++) {
            acquireAndRelease(leases, "busy-" + caller);
        }
    }

    private void acquireAndRelease(LeaseManager leases, String key) {
        leases.acquireAsync(LeaseRequest.of(key))
                .thenCompose(lease -> lease.orElseThrow().releaseAsync())
                .whenComplete((released, error) -> time.schedule(
                        EngineTime.MILLI * (error == null ? 1 : 1_000), () -> acquireAndRelease(leases, key)));
    }

    @Test
    void manyShortLeasesEndNoLongOne() {
        SlowTable table = new SlowTable(time, LEASES / 8);
        LeaseManager leases = manager(table);
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));

        keepBusy(leases);

        assertAllHeldFor(Duration.ofMinutes(3));
    }

    /** Renewals have made more writes than acquires by then, but while nobody waited for a turn. */
    @Test
    void aBurstOfShortLeasesAfterALongTimePutsNoLongOneAtRisk() {
        SlowTable table = new SlowTable(time, 1_000);
        LeaseManager leases = manager(table);
        acquire(leases, LEASES / 4, 50);
        time.advance(Duration.ofMinutes(5));
        table.serve(LEASES / 8);

        IntStream.range(0, 3_000).forEach(caller -> acquireAndRelease(leases, "busy-" + caller));
        time.advance(Duration.ofSeconds(30));

        assertThat(atRisk).isEmpty();
    }

    @Test
    void aBusyProcessStillAcquiresReleasesAndLooks() {
        SlowTable table = new SlowTable(time, LEASES / 8);
        LeaseManager leases = manager(table);
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));

        CompletableFuture<Optional<Lease>> one = leases.acquireAsync(LeaseRequest.of("one more"));
        time.advance(Duration.ofSeconds(2));

        assertThat(one.join()).isPresent();
        one.join().orElseThrow().releaseAsync();
        assertAllHeldFor(Duration.ofSeconds(2));
    }

    // ---- a slow path to a table that has room

    private static final Duration SHORT_TTL = Duration.ofSeconds(10);

    @ParameterizedTest
    @ValueSource(ints = {700, 1_500})
    void aPathThatBecomesSlowLosesNothing(int millis) {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, SHORT_TTL);
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));

        table.delay(Duration.ofMillis(millis));

        assertAllHeldFor(Duration.ofMinutes(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {700, 1_500})
    void aPathThatBecomesSlowLosesNothingBesideWaiters(int millis) {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, SHORT_TTL);
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));
        waitForLeasesOfOthers(table, leases);

        table.delay(Duration.ofMillis(millis));

        assertAllHeldFor(Duration.ofMinutes(3));
    }

    private void waitForLeasesOfOthers(SlowTable table, LeaseManager here) {
        LeaseManager others = manager(table, SHORT_TTL);
        for (int i = 0; i < 200; i++) {
            LeaseRequest request = LeaseRequest.of("theirs-" + i);
            others.acquireAsync(request.ttl(Duration.ofMinutes(30)));
            time.schedule(EngineTime.SECOND, () -> here.acquireAsync(request.waitFor(Duration.ofMinutes(20))));
        }
        time.advance(Duration.ofMinutes(1));
    }

    @Test
    void aPathThatBecomesSlowLosesNothingBesideBusyCallers() {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, SHORT_TTL);
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));
        keepBusy(leases);
        time.advance(Duration.ofSeconds(10));

        table.delay(Duration.ofMillis(700));

        time.advance(Duration.ofMinutes(1));
        assertThat(lost).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {700, 1_500})
    void onASlowPathAllAreAcquiredAndKept(int millis) {
        SlowTable table = new SlowTable(time, QUICK);
        table.delay(Duration.ofMillis(millis));
        acquire(manager(table, Duration.ofSeconds(20)), LEASES / 4, 50);
        time.advance(Duration.ofMinutes(5));

        assertThat(acquired).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(lost).isEmpty();
        assertThat(held()).isEqualTo(LEASES / 4);
    }

    @Test
    void anOutageOnASlowPathLosesNothingEither() {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, TTL);
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));

        table.goOut();
        time.advance(Duration.ofSeconds(4));
        table.delay(Duration.ofMillis(700));
        table.comeBack();

        assertAllHeldFor(Duration.ofMinutes(2));
    }

    /** A single caller meets the slow path first; the load comes later. */
    @Test
    void aSlowPathWithoutLoadLeavesRoomForTheLoadThatFollows() {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, SHORT_TTL);
        acquire(leases, 1, 1);
        time.advance(Duration.ofMinutes(1));
        table.delay(Duration.ofMillis(600));
        time.advance(Duration.ofMinutes(1));

        acquire(leases, LEASES, 50);
        time.advance(Duration.ofSeconds(5));

        assertThat(table.mostInFlight()).isGreaterThanOrEqualTo(16);
    }

    @Test
    void failuresWithoutAnAnswerLetNoMoreRequestsBeInFlight() {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, TTL);
        acquire(leases, 10, 10);
        time.advance(Duration.ofSeconds(10));
        table.failWith(StoreReply.FailureKind.NOT_APPLIED);
        keepAcquiring(leases);
        time.advance(Duration.ofMinutes(2));

        table.comeBack();
        table.serve(50);
        time.advance(Duration.ofSeconds(1));

        assertThat(table.mostInFlight()).isLessThanOrEqualTo(20);
    }

    @Test
    void afterASlowPathAFullTableIsNoticed() {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = manager(table, TTL);
        acquire(leases, LEASES, 50);
        table.delay(Duration.ofMillis(1_500));
        time.advance(Duration.ofMinutes(1));

        table.delay(Duration.ZERO);
        time.advance(Duration.ofSeconds(10));
        table.serve(LEASES / 12);

        assertAllHeldFor(Duration.ofMinutes(3));
        assertThat(table.longestWait()).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void aFullTableOnASlowPathKeepsAll() {
        SlowTable table = new SlowTable(time, LEASES / 12);
        table.delay(Duration.ofMillis(700));
        acquire(manager(table, TTL), LEASES / 2, 50);

        time.advance(Duration.ofMinutes(5));

        assertThat(lost).isEmpty();
    }

    // ---- an outage that is longer than the ttl

    private static final Duration LONG_OUTAGE = Duration.ofSeconds(30);

    /** Callers that want their leases back as soon as they have lost them. */
    private void keepAcquiring(LeaseManager leases) {
        for (int i = 0; i < LEASES; i++) {
            keepAcquiring(leases, LeaseRequest.of("key-" + i).waitFor(Duration.ofHours(1)));
        }
    }

    private void keepAcquiring(LeaseManager leases, LeaseRequest request) {
        leases.acquireAsync(request).whenComplete((acquired, error) -> {
            if (error != null || acquired.isEmpty()) {
                time.schedule(EngineTime.SECOND, () -> keepAcquiring(leases, request));
            } else {
                Lease lease = acquired.get();
                back.put(lease.key(), lease);
                lease.lost().thenRun(() -> {
                    lease.releaseAsync(); // as at the end of its work: a late renewal may have extended the item
                    keepAcquiring(leases, request);
                });
            }
        });
    }

    private final Map<String, Lease> back = new HashMap<>();

    private long heldAgain() {
        return back.values().stream().filter(Lease::isValid).count();
    }

    private SlowTable heldByCallersWhoWantThemBack() {
        return heldByCallersWhoWantThemBack(new FeatureRules());
    }

    private SlowTable heldByCallersWhoWantThemBack(FeatureRules rules) {
        SlowTable table = new SlowTable(time, 10_000);
        keepAcquiring(manager(table, rules));
        time.advance(Duration.ofSeconds(30));
        assertThat(heldAgain()).isEqualTo(LEASES);
        return table;
    }

    @ParameterizedTest
    @EnumSource(
            value = StoreReply.FailureKind.class,
            names = {"NOT_APPLIED", "THROTTLED", "UNKNOWN"})
    void whileNothingSucceedsFewRequestsAreSentHoweverManyCallersWait(StoreReply.FailureKind kind) {
        SlowTable table = heldByCallersWhoWantThemBack();
        int before = table.requests();

        table.failWith(kind);
        time.advance(LONG_OUTAGE);

        assertThat(heldAgain()).isZero();
        assertThat(table.requests() - before).isLessThan(50 + 6 * (int) LONG_OUTAGE.toSeconds());
    }

    @ParameterizedTest
    @EnumSource(
            value = StoreReply.FailureKind.class,
            names = {"NOT_APPLIED", "THROTTLED", "UNKNOWN"})
    void theFirstSuccessLetsAllGoOn(StoreReply.FailureKind kind) {
        SlowTable table = heldByCallersWhoWantThemBack();
        table.failWith(kind);
        time.advance(LONG_OUTAGE);

        table.comeBack();
        time.advance(Duration.ofSeconds(3));

        assertThat(heldAgain()).isEqualTo(LEASES);
    }

    /** A twelfth of the leases per second are all back only after a ttl, so the first ones are renewed meanwhile. */
    @ParameterizedTest
    @ValueSource(ints = {5, 12})
    void afterALongOutageASlowTableLosesNoLeaseThatHasComeBack(int part) {
        afterALongOutage(new FeatureRules(), LEASES / part);

        assertThat(heldAgain()).isEqualTo(LEASES);
        assertThat(lost).isEmpty();
    }

    private void afterALongOutage(FeatureRules rules, int writesPerSecond) {
        SlowTable table = heldByCallersWhoWantThemBack(rules);
        table.goOut();
        time.advance(LONG_OUTAGE);
        assertThat(heldAgain()).isZero();
        lost.clear();

        table.serve(writesPerSecond);
        table.comeBack();
        time.advance(Duration.ofMinutes(1));
    }

    @Test
    void anOutageWithoutRepliesCausesFewRequestsToo() {
        SlowTable table = heldByCallersWhoWantThemBack();
        int before = table.requests();

        table.goOut();
        time.advance(LONG_OUTAGE);

        assertThat(table.requests() - before).isLessThan(50 + 6 * (int) LONG_OUTAGE.toSeconds());

        table.comeBack();
        time.advance(Duration.ofSeconds(4));

        assertThat(heldAgain()).isEqualTo(LEASES);
    }

    /** The turns of callers that have given up use up no probe. */
    @ParameterizedTest
    @EnumSource(
            value = StoreReply.FailureKind.class,
            names = {"NOT_APPLIED", "THROTTLED", "UNKNOWN"})
    void anOutageInWhichNobodyWaitsIsProbedAndEnds(StoreReply.FailureKind kind) {
        SlowTable table = new SlowTable(time, 10_000);
        LeaseManager leases = manager(table);
        callOften(leases, 0);
        time.advance(Duration.ofSeconds(5));
        table.failWith(kind);
        time.advance(Duration.ofSeconds(90));
        int before = table.requests();

        time.advance(Duration.ofSeconds(60));

        assertThat(table.requests() - before).isBetween(200, 300);

        table.comeBack();
        time.advance(Duration.ofSeconds(3));
        CompletableFuture<Optional<Lease>> next = leases.acquireAsync(LeaseRequest.of("next"));
        time.advance(Duration.ofSeconds(1));

        assertThat(next.join()).isPresent();
    }

    /** No reply has shown its key, so it is not known to be held. */
    @Test
    void inAnOutageACallerBehindOneThatWaitsForItsTurnGetsTheError() {
        SlowTable table = new SlowTable(time, 10_000);
        LeaseManager leases = manager(table);
        callOften(leases, 0);
        time.advance(Duration.ofSeconds(5));
        table.failWith(StoreReply.FailureKind.NOT_APPLIED);
        time.advance(Duration.ofSeconds(10));
        leases.acquireAsync(LeaseRequest.of("next").waitFor(Duration.ofMinutes(1)));

        List<CompletableFuture<Optional<Lease>>> behind = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            behind.add(leases.acquireAsync(LeaseRequest.of("next")));
            time.advance(Duration.ofMillis(500));
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(behind)
                .allSatisfy(call -> assertThat(call)
                        .failsWithin(Duration.ZERO)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LeaseStoreException.class));
    }

    /** Requests are slow, but none fails. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void callersOfASlowTableThatNoReplyHasToldOfTheirKeyGetAnError(int permits) {
        SlowTable table = new SlowTable(time, 20);
        LeaseManager leases = manager(table);
        callOften(leases, 0);
        time.advance(Duration.ofSeconds(30));
        LeaseRequest request = LeaseRequest.of("next");
        LeaseRequest next = permits == 0 ? request : request.permits(2);
        leases.acquireAsync(next.waitFor(Duration.ofMinutes(1)));
        leases.acquireAsync(next.waitFor(Duration.ofMinutes(1)));

        List<CompletableFuture<Optional<Lease>>> behind =
                List.of(leases.acquireAsync(next), leases.acquireAsync(next.waitFor(Duration.ofMillis(500))));
        time.advance(Duration.ofSeconds(10));

        assertThat(behind)
                .allSatisfy(call -> assertThat(call)
                        .failsWithin(Duration.ZERO)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(LeaseStoreException.class)
                        .withMessageContaining("No request for the lease could be sent in time"));
    }

    /** Their end is near, and no renewal moves it, so none is late. */
    @Test
    void leasesNearTheirLimitKeepNobodyFromANewLease() {
        List<Throwable> errors = new ArrayList<>();
        LeaseManager leases = manager(new SlowTable(time, 10_000));
        IntStream.range(0, 100).forEach(caller -> callAgain(leases, "busy-" + caller, errors));
        time.advance(Duration.ofSeconds(10));

        for (int i = 0; i < 200; i++) {
            leases.acquireAsync(LeaseRequest.of("limited-" + i).holdAtMost(Duration.ofSeconds(6)));
            time.advance(Duration.ofMillis(50));
        }
        time.advance(Duration.ofSeconds(10));

        assertThat(errors).isEmpty();
    }

    private void callAgain(LeaseManager leases, String key, List<Throwable> errors) {
        leases.acquireAsync(LeaseRequest.of(key))
                .thenCompose(lease -> lease.orElseThrow().releaseAsync())
                .whenComplete((released, error) -> {
                    if (error != null) {
                        errors.add(error);
                    }
                    time.schedule(EngineTime.MILLI, () -> callAgain(leases, key, errors));
                });
    }

    /** A hundred calls a second, each of a key of its own, of which none waits. */
    private void callOften(LeaseManager leases, int number) {
        leases.acquireAsync(LeaseRequest.of("key-" + number))
                .whenComplete((lease, error) ->
                        Optional.ofNullable(lease).flatMap(granted -> granted).ifPresent(Lease::releaseAsync));
        time.schedule(EngineTime.SECOND / 100, () -> callOften(leases, number + 1));
    }

    /** The requests that hang at its end neither take the room of others nor make the table seem slow. */
    @Test
    void anOutageWithoutRepliesThatEndsShortlyBeforeTheLeasesLosesFew() {
        SlowTable table = heldByCallersWhoWantThemBack();
        table.goOut();
        time.advance(Duration.ofSeconds(18));
        assertThat(heldAgain()).isGreaterThan(1_950);

        table.comeBack();
        time.advance(Duration.ofSeconds(3));

        assertThat(heldAgain()).isEqualTo(LEASES);
        assertThat(lost).hasSizeLessThan(250); // those whose renewals hung, and were given up too late for another one
    }

    /** Its renewals were applied, and have extended items of leases that were lost. */
    @ParameterizedTest
    @ValueSource(ints = {21, 33, 45})
    void afterRepliesThatCameTooLateAllAreHeldAgain(int seconds) {
        SlowTable table = heldByCallersWhoWantThemBack();
        table.delay(Duration.ofSeconds(3));
        time.advance(Duration.ofSeconds(seconds));
        assertThat(heldAgain()).isLessThan(1_500);

        table.delay(Duration.ZERO);
        time.advance(Duration.ofSeconds(3));

        assertThat(heldAgain()).isEqualTo(LEASES);
    }

    // ---- many releases at once

    private static final int MANY = 5_000;
    private static final int QUICK = 1_000_000; // so each request takes 10 ms

    private SlowTable holding(SlowTable table) {
        LeaseManager leases = manager(table);
        acquire(leases, MANY, 50);
        time.advance(Duration.ofSeconds(10));
        assertThat(held()).isEqualTo(MANY);
        while (table.inFlight() > 0) {
            time.advance(Duration.ofMillis(1));
        }
        return table;
    }

    /** Releases all and returns the number of requests for it. */
    private int releaseAll(SlowTable table, Duration within) {
        int before = table.requests();
        acquired.forEach(acquiring -> acquiring.join().orElseThrow().releaseAsync());
        time.advance(within);
        assertThat(table.held()).isZero();
        assertThat(acquired)
                .allSatisfy(acquiring -> assertThat(
                                acquiring.join().orElseThrow().releaseAsync().toCompletableFuture())
                        .isDone());
        return table.requests() - before;
    }

    @Test
    void manyReleasesAtOnceAreFewRequests() {
        SlowTable table = holding(new SlowTable(time, QUICK));

        int requests = releaseAll(table, Duration.ofSeconds(1));

        assertThat(requests).isLessThanOrEqualTo(MANY / 25 + 32); // that many found room at once
        assertThat(table.mostInFlight()).isLessThanOrEqualTo(40);
    }

    @Test
    void whereBatchesAreDeniedManyReleasesAreSentSingly() {
        SlowTable table = holding(new SlowTable(time, QUICK).denyingBatches());

        int requests = releaseAll(table, Duration.ofSeconds(10));

        assertThat(requests).isBetween(MANY, MANY + 50); // some were in flight before the first was denied
    }

    /** A throttling table applies some and refuses others. */
    @Test
    void manyReleasesAtOnceAreAllAppliedWhereTheTableThrottles() {
        SlowTable table = new SlowTable(time, LEASES / 10).throttling();
        acquire(manager(table), LEASES, 50);
        time.advance(Duration.ofMinutes(1));
        acquired.removeIf(acquiring -> !acquiring.isDone() || acquiring.isCompletedExceptionally());

        releaseAll(table, Duration.ofMinutes(1));
    }

    // ---- rules that look simpler and lose leases

    private void assertNotAllHeldFor(Duration duration) {
        time.advance(duration);
        boolean failed = acquired.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(failed || !lost.isEmpty()).isTrue();
    }

    @Test
    void withoutABoundASlowStartIsNotSurvived() {
        SlowTable table = new SlowTable(time, 1_000).startingSlowly(20, Duration.ofSeconds(10));
        acquire(manager(table, new Unbounded()), LEASES, 50);

        assertNotAllHeldFor(Duration.ofMinutes(3));
    }

    /** The congestion collapse of services that ask for all their leases at once. */
    @Test
    void withoutABoundFewLeasesComeBackAfterALongOutage() {
        afterALongOutage(new Unbounded(), LEASES / 12);

        assertThat(heldAgain()).isLessThan(LEASES / 2);
    }

    /** In the order of their ends alone, each renewal is answered just too late. */
    @Test
    void withoutPuttingOffWhatIsTooLateASlowTableKeepsNone() {
        FeatureRules inOrder = new FeatureRules() {
            @Override
            public boolean isTooLate(long leftNanos, long tripNanos) {
                return false;
            }

            @Override
            public boolean areProbes(int failedInARow) {
                return false; // it would save some, too
            }
        };
        slowDown(inOrder, LEASES / 21);

        time.advance(Duration.ofMinutes(5));

        assertThat(held()).isZero();
    }

    @Test
    void withoutPrioritiesManyShortLeasesEndLongOnes() {
        SlowTable table = new SlowTable(time, LEASES / 8);
        LeaseManager leases = manager(table, new NothingPresses());
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));

        keepBusy(leases);
        time.advance(Duration.ofMinutes(3));

        assertThat(lost).isNotEmpty();
    }

    @Test
    void withoutRefusalsTooManyLeasesAreGrantedAndSomeLost() {
        acquire(manager(new SlowTable(time, LEASES / 25), new NothingPresses()), LEASES, 50);

        time.advance(Duration.ofMinutes(5));

        assertThat(lost).isNotEmpty();
    }

    @Test
    void withoutProbesEachCallerAsksInAnOutage() {
        SlowTable table = heldByCallersWhoWantThemBack(new FeatureRules() {
            @Override
            public boolean areProbes(int failedInARow) {
                return false;
            }
        });
        int before = table.requests();

        table.failWith(StoreReply.FailureKind.THROTTLED);
        time.advance(LONG_OUTAGE);

        assertThat(table.requests() - before).isGreaterThan(LEASES);
    }

    private void assertLostOnASlowPath(FeatureRules rules) {
        SlowTable table = new SlowTable(time, QUICK);
        LeaseManager leases = builder(table)
                .ttl(SHORT_TTL)
                .heartbeatInterval(SHORT_TTL.dividedBy(3))
                .rules(rules)
                .build();
        acquire(leases, LEASES, 50);
        time.advance(Duration.ofMinutes(1));
        keepBusy(leases); // so there are always many requests in flight
        time.advance(Duration.ofSeconds(10));
        table.delay(Duration.ofMillis(1_500));
        time.advance(Duration.ofMinutes(1));

        assertThat(lost).isNotEmpty();
    }

    @Test
    void whereAFixedTimeIsSlowASlowPathLosesLeases() {
        assertLostOnASlowPath(new FeatureRules() {
            @Override
            public boolean isSlow(long tookNanos, long usualNanos) {
                return tookNanos >= EngineTime.SECOND / 2;
            }

            @Override
            public boolean isQuicker(long tookNanos, long beforeNanos) {
                return true;
            }
        });
    }

    @Test
    void whereHalvingIsNeverInVainASlowPathLosesLeases() {
        assertLostOnASlowPath(new FeatureRules() {
            @Override
            public boolean isQuicker(long tookNanos, long beforeNanos) {
                return true;
            }
        });
    }

    /** Rules by which any number of requests may be in flight. */
    private static final class Unbounded extends FeatureRules {
        @Override
        public double boundAfter(double bound, boolean congested) {
            return 1_000;
        }
    }

    /** Rules by which no renewal goes before others and no acquire is refused. */
    private static final class NothingPresses extends FeatureRules {
        @Override
        public boolean isLate(long leftNanos, long ttlNanos) {
            return false;
        }

        @Override
        public boolean isUrgent(long leftNanos, long ttlNanos) {
            return false;
        }
    }
}
