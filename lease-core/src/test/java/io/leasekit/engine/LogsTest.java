package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.broken;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.KeyValuePair;

/** Log lines above DEBUG: none in normal operation, one for each problem. */
class LogsTest {

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private List<String> warnings() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private List<String> repetitions() {
        return warnings().stream()
                .filter(text -> text.contains("may be executed again"))
                .toList();
    }

    @Test
    void nothingWhileAllGoesWell() {
        Lease lease = here.acquire("key");
        bench.start("there").tryAcquire("key");
        bench.advance(Duration.ofMinutes(10));
        lease.close();
        here.leases.closeAsync();
        bench.advance(Duration.ofMinutes(1));

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aLostLeaseIsOneLineWithReasonTokenAndHowLongItWasHeld() {
        Lease lease = here.acquire("key");
        bench.table.remove("key");
        bench.advance(Bench.TTL);
        lease.close();
        bench.advance(Bench.TTL);

        assertThat(logged.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getLevel()).isEqualTo(Level.WARN);
                    assertThat(line.getFormattedMessage())
                            .matches(
                                    "Lease 'key' was lost: REVOKED, held for 3\\S* s: its item is no longer in the table; its work"
                                            + " goes on until it checks the lease, is interrupted or ends");
                    assertThat(line.getKeyValuePairs())
                            .extracting(pair -> pair.key)
                            .containsExactly("lease", "owner", "token", "reason", "heldFor");
                    assertThat(line.getKeyValuePairs())
                            .filteredOn(pair -> !pair.key.equals("heldFor"))
                            .extracting((KeyValuePair pair) -> pair.value)
                            .containsExactly("key", "here", lease.fencingToken(), LeaseLossReason.REVOKED);
                });
    }

    // ---- the end of a lease

    private List<String> until(Duration duration) {
        bench.advance(duration);
        return warnings();
    }

    @Test
    void aLossThatIsNoticedLateSaysSoAndWhy() {
        here.acquire("key");
        bench.advance(Duration.ofSeconds(1));
        here.machine.stop(Duration.ofSeconds(30));

        assertThat(until(Bench.TTL))
                .singleElement()
                .asString()
                .matches(
                        "Lease 'key' was lost: EXPIRED, held for 31 s: noticed 2\\d(\\.\\d)? s after its end, because this"
                                + " process was suspended or had no CPU time, or a reply has shown a wrong time");
    }

    @Test
    void aForcedReleaseIsSaidToItsHolder() {
        Lease lease = here.acquire("key");
        Bench.Node operator = bench.start("operator");
        operator.sample(2);
        ((LeaseEngine) operator.leases).forceReleaseAsync("key", lease.fencingToken(), false);
        logged.list.clear(); // the operator's line
        lease.lost().thenRun(lease::releaseAsync);

        assertThat(until(Duration.ofMinutes(2)))
                .singleElement()
                .asString()
                .matches(
                        "Lease 'key' was lost: REVOKED, held for \\S+ s: it was released by force; its work goes on until it"
                                + " checks the lease, is interrupted or ends");
    }

    @Test
    void aLeaseThatAnotherOwnerHasAcquiredAndReleasedWasTaken() {
        Lease lease = here.acquire("key");
        long later = lease.fencingToken() + 7;
        bench.table.put(new LeaseItem("key", null, null, null, later, "there", 1L, 2L));

        assertThat(until(Bench.TTL))
                .singleElement()
                .asString()
                .matches("Lease 'key' was lost: TAKEN, held for \\S+ s: owner 'there' has acquired it, token " + later);
        assertThat(lease.lossReason()).contains(LeaseLossReason.TAKEN);
    }

    @Test
    void aReleaseThatIsNotConfirmedIsOneLine() {
        here.acquire("other");
        Lease lease = here.acquire("key");
        here.store.always("key", broken("Broken"));
        lease.releaseAsync();

        assertThat(until(Duration.ofMinutes(5)))
                .containsExactly("The release of lease 'key' was not confirmed before the lease expired: Broken");
    }

    @Test
    void aReleaseThatRecordsARunSaysThatItMayBeExecutedAgain() {
        here.acquire("other");
        Lease lease = here.acquire(LeaseRequest.of("key").once("run"));
        here.store.always("key", broken("Broken"));
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.releaseAsync();

        assertThat(until(Duration.ofMinutes(5)))
                .containsExactly(
                        "The release of lease 'key' was not confirmed before the lease expired, so run 'run' may be"
                                + " executed again: Broken");
    }

    /** The table answers again before the release is given up, but another owner is faster. */
    @ParameterizedTest
    @EnumSource
    void aRunThatAnotherOwnerRepeatsBecauseItWasNotRecordedIsALineOnEachSide(OnceOrder order) {
        Bench.Node there = bench.start("there");
        here.acquire("other");
        LeaseRequest request = LeaseRequest.of("key").once("run", order);
        Lease lease = here.acquire(request);
        CompletableFuture<Optional<Lease>> waiting = there.leases.acquireAsync(request.waitFor(Duration.ofHours(1)));
        bench.advance(Duration.ofSeconds(2));
        here.store.always("key", broken("Broken"));
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.releaseAsync();
        bench.advance(Bench.TTL.plusMillis(500));
        here.store.heal();
        bench.advance(Bench.TTL);

        assertThat(waiting.join()).isPresent();
        assertThat(takeOvers()).hasSize(1);
        assertThat(repetitions())
                .containsExactly(
                        "The release of lease 'key' was refused, because another owner has acquired it, so run 'run'"
                                + " may be executed again");
    }

    @Test
    void aRunWhoseLeaseWasReleasedByForceHasALineThatSaysSo() {
        Lease lease = here.acquire(LeaseRequest.of("key").once("run", OnceOrder.GROWING));
        bench.start("operator").leases.forceRelease("key", lease.fencingToken());
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.releaseAsync();

        assertThat(repetitions())
                .containsExactly(
                        "The release of lease 'key' was refused, because it was released by force, so run 'run'"
                                + " may be executed again");
    }

    @Test
    void aRunWhoseItemWasRemovedHasALineThatSaysSo() {
        Lease lease = here.acquire(LeaseRequest.of("key").once("run", OnceOrder.GROWING));
        bench.table.remove("key");
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.releaseAsync();

        assertThat(repetitions())
                .containsExactly(
                        "The release of lease 'key' was refused, because its item is no longer in the table, so"
                                + " run 'run' may be executed again");
    }

    /** The first release was applied, and its reply was lost. */
    @ParameterizedTest
    @EnumSource
    void aRunThatIsRecordedHasNoLineThoughItsReleaseIsRefused(OnceOrder order) {
        Bench.Node there = bench.start("there");
        Lease lease = here.acquire(LeaseRequest.of("key").once("run", order));
        here.store.next(RELEASE, ScriptedStore.REPLY_LOST);
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.releaseAsync();
        there.acquire("key");
        bench.advance(Bench.TTL);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aLeaseOfSeveralKeysHasOneLine() {
        here.acquire("other");
        Lease lease = here.acquire(LeaseRequest.ofAll("a", "b", "c"));
        bench.table.remove("a"); // so the others are released alone
        here.store.always(RELEASE, broken("Broken"));
        here.store.next(RELEASE, ScriptedStore.Request::deliver);
        lease.releaseAsync();

        assertThat(until(Duration.ofMinutes(5)))
                .containsExactly("The release of lease 'b', 'c' was not confirmed before the lease expired: Broken");
    }

    @Test
    void anAcquireThatWasGivenUpHasNoLineAboutItsRelease() {
        here.acquire("other");
        here.store.always("key", ScriptedStore.REPLY_LOST);
        here.leases.acquireAsync(LeaseRequest.of("key"));

        assertThat(until(Duration.ofMinutes(5))).isEmpty();
    }

    @Test
    void aCloseThatNamesUnconfirmedReleasesSaysAllAboutThem() {
        here.acquire("other");
        Lease lease = here.acquire(LeaseRequest.of("key").once("run"));
        here.leases.acquireAsync(LeaseRequest.of("never"));
        here.store.always(broken("Broken"));
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.releaseAsync();
        here.leases.closeAsync();
        bench.advance(Duration.ofMinutes(5));

        assertThat(warnings())
                .filteredOn(text -> !text.contains("'other'")) // which was lost by the close
                .filteredOn(text -> text.contains("'key'"))
                .singleElement()
                .asString()
                .startsWith("Manager of owner 'here' is closed, and ")
                .endsWith("; runs that may be executed again: 1");
    }

    // ---- take-overs

    private List<String> takeOvers() {
        return warnings().stream().filter(text -> text.contains("taken over")).toList();
    }

    @Test
    void aTakeOverFromADeadOwnerIsOneLine() {
        Bench.Node there = bench.start("there", builder -> builder.application("shop"));
        long before = there.acquire("key").fencingToken();
        there.store.always(ScriptedStore.LOST);
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");
        bench.advance(Bench.TTL.multipliedBy(3));

        long token = waiting.join().orElseThrow().fencingToken();
        assertThat(takeOvers())
                .singleElement()
                .asString()
                .matches("Lease 'key' \\(token " + token
                        + "\\) was taken over from owner 'there' of application 'shop', held" + " since \\S+Z, token "
                        + before + ", which has neither renewed nor released it in time");
        bench.advance(Duration.ofMinutes(5));
        assertThat(takeOvers()).hasSize(1);
    }

    /** A transaction does not show what it overwrites, so the line needs a look or a refusal before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTakeOverOfSeveralKeysIsOneLine(boolean waiting) {
        LeaseRequest all = LeaseRequest.ofAll("a", "b", "c");
        Bench.Node there = bench.start("there", builder -> builder.application("shop"));
        long before = there.acquire(all).fencingToken();
        there.store.always(ScriptedStore.LOST);
        here.sample(2);
        LeaseRequest asked = all.waitFor(waiting ? Duration.ofHours(1) : Duration.ZERO);
        bench.advance(waiting ? Duration.ZERO : Bench.TTL.multipliedBy(2));
        CompletableFuture<Optional<Lease>> acquiring = here.leases.acquireAsync(asked);
        bench.advance(Bench.TTL.multipliedBy(2));

        long token = acquiring.join().orElseThrow().fencingToken();
        bench.advance(Duration.ofMinutes(5));
        assertThat(takeOvers())
                .singleElement()
                .asString()
                .matches("Lease 'a', 'b', 'c' \\(token " + token
                        + "\\) was taken over from owner 'there' of application 'shop', held since \\S+Z, token "
                        + before + ", which has neither renewed nor released it in time");
    }

    @Test
    void aTakeOverOfSeveralKeysNamesEachHolder() {
        Bench.Node there = bench.start("there");
        Bench.Node elsewhere = bench.start("elsewhere");
        there.acquire("a");
        elsewhere.acquire("b");
        there.store.always(ScriptedStore.LOST);
        elsewhere.store.always(ScriptedStore.LOST);
        here.sample(2);
        bench.advance(Bench.TTL.multipliedBy(2));
        here.acquire(LeaseRequest.ofAll("a", "b", "c"));

        assertThat(takeOvers())
                .hasSize(2)
                .anyMatch(text -> text.startsWith("Lease 'a' ") && text.contains("owner 'there'"))
                .anyMatch(text -> text.startsWith("Lease 'b' ") && text.contains("owner 'elsewhere'"));
    }

    @Test
    void severalKeysThatWereReleasedKeptForcedOrLostHereAreNoTakeOver() {
        Bench.Node there = bench.start("there");
        there.acquire(LeaseRequest.ofAll("released", "too")).close();
        there.acquire(LeaseRequest.ofAll("kept", "also").cooldown(Duration.ofSeconds(20)))
                .close();
        Lease forced = there.acquire("forced");
        here.sample(2);
        ((LeaseEngine) here.leases).forceReleaseAsync("forced", forced.fencingToken(), false);
        here.acquire(LeaseRequest.ofAll("lost", "with it"));
        here.store.always("lost", broken("Broken"));
        bench.advance(Duration.ofMinutes(1));
        here.store.heal();

        here.acquire(LeaseRequest.ofAll("released", "too", "kept", "also", "forced", "lost", "with it"));
        assertThat(takeOvers()).isEmpty();
    }

    @Test
    void aReleaseWhileAnotherWaitsIsNoTakeOver() {
        LeaseRequest both = LeaseRequest.ofAll("a", "b");
        Bench.Node there = bench.start("there");
        Lease held = there.acquire(both);
        CompletableFuture<Optional<Lease>> waiting = here.leases.acquireAsync(both.waitFor(Duration.ofHours(1)));
        bench.advance(Bench.TTL.multipliedBy(3));
        held.close();
        bench.advance(Bench.TTL);

        assertThat(waiting.join()).isPresent();
        assertThat(takeOvers()).isEmpty();
    }

    @Test
    void whatWasReleasedKeptForcedOrLostHereIsNoTakeOver() {
        Bench.Node there = bench.start("there");
        there.acquire("released").close();
        there.acquire(LeaseRequest.of("kept").cooldown(Duration.ofSeconds(20))).close();
        Lease forced = there.acquire("forced");
        here.sample(2);
        ((LeaseEngine) here.leases).forceReleaseAsync("forced", forced.fencingToken(), false);
        here.acquire("lost");
        here.store.always("lost", broken("Broken"));
        bench.advance(Duration.ofMinutes(1));
        here.store.heal();

        for (String key : List.of("released", "kept", "forced", "lost")) {
            here.acquire(key);
        }
        assertThat(takeOvers()).isEmpty();
    }

    // ---- pauses

    @Test
    void pausesThatCannotBeReadSaySoOnceAndWhenTheyCanAgain() {
        Bench.Node node = bench.start("node", builder -> builder.pauses(true));
        node.store.always("#pauses", broken("Throttled"));
        for (int i = 0; i < 30; i++) {
            node.leases.acquireAsync(LeaseRequest.of("key-" + i));
            bench.advance(Duration.ofSeconds(1));
        }
        assertThat(warnings()).containsExactly("Pauses cannot be read, so none is in effect: Throttled");
        node.store.heal();
        node.acquire("a");
        node.store.always("#pauses", broken("Throttled"));
        bench.advance(Duration.ofSeconds(6));
        node.leases.acquireAsync(LeaseRequest.of("b"));
        bench.advance(Duration.ofMinutes(2));
        node.leases.acquireAsync(LeaseRequest.of("c"));

        assertThat(warnings())
                .containsExactly(
                        "Pauses cannot be read, so none is in effect: Throttled",
                        "Pauses can be read again",
                        "Pauses cannot be read, so those read last stay in effect: Throttled");
    }

    @Test
    void pausesThatCannotBeReadInAnOutageHaveNoLineOfTheirOwn() {
        Bench.Node node = bench.start("node", builder -> builder.pauses(true));
        node.acquire("a").close();
        bench.advance(Duration.ofSeconds(6)); // so the pauses are read first
        node.store.always(broken("Connection refused"));
        for (int i = 0; i < 16; i++) {
            node.leases.acquireAsync(LeaseRequest.of("key-" + i));
            bench.advance(Duration.ofMillis(500));
        }
        node.store.heal();
        bench.advance(Duration.ofSeconds(6));
        node.acquire("b");

        assertThat(warnings()).hasSize(2).noneMatch(text -> text.contains("Pauses"));
    }

    @Test
    void aLeaseAtRiskIsOneLineUntilARenewalGetsThrough() {
        here.acquire("key");
        here.acquire("other"); // the table answers, so this is no outage
        here.store.always("key", broken("Broken"));
        bench.advance(Duration.ofSeconds(9));

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("Lease 'key' is at risk: ")
                .endsWith(" left and no later renewal has succeeded: Broken");
    }

    @Test
    void aLeaseAtRiskWhoseRenewalsAreNotAnsweredSaysSo() {
        here.acquire("key");
        here.acquire("other");
        here.store.always("key", ScriptedStore.LOST);
        bench.advance(Duration.ofSeconds(9));

        assertThat(warnings())
                .singleElement()
                .asString()
                .endsWith(" no later renewal has succeeded: No reply of table 'scripted' within 2 s");
    }

    @Test
    void aLateReplyThatLeavesALeaseAtRiskIsNoSecondLine() {
        HeldLease lease = (HeldLease) here.acquire("key");
        here.acquire("other");
        here.store.always("key", ScriptedStore.LOST);
        bench.advance(Duration.ofMillis(500));
        var unused = lease.extended(Duration.ofSeconds(1));
        bench.advance(Duration.ofMillis(7_500));
        assertThat(warnings()).singleElement().asString().startsWith("Lease 'key' is at risk: 3.33 s left");

        here.store.sent(RENEW).get(0).deliver();

        assertThat(lease.isValid()).isTrue();
        assertThat(warnings()).hasSize(1);
    }

    @Test
    void aLocalClockFarFromTheStoresIsOneLineUntilItIsSetRight() {
        here.machine.jumpWallClock(Duration.ofMinutes(-6));
        here.sample(3);
        assertThat(warnings())
                .singleElement()
                .asString()
                .matches("Local clock is (6 min|5 min 59 s) behind that of the lease table's servers; leases do"
                        + " not depend on it, but times in logs and signatures of requests do");

        here.machine.jumpWallClock(Duration.ofMinutes(6));
        here.sample(3);
        assertThat(warnings()).hasSize(1);

        here.machine.jumpWallClock(Duration.ofMinutes(6));
        here.sample(3);
        assertThat(warnings()).hasSize(2).last().asString().contains(" ahead of ");
    }

    @Test
    void aLocalClockThatIsSomeMinutesOffIsNoTrouble() {
        here.machine.jumpWallClock(Duration.ofMinutes(4));
        here.sample(3);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aMonitorThatFailsIsOneLine() {
        Bench.Node node = bench.start(
                "node",
                builder -> builder.monitor(measurement -> {
                    throw new IllegalStateException("Out of order");
                }));
        node.acquire("key");
        bench.advance(Bench.TTL);

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("Lease monitor io.leasekit.engine.LogsTest")
                .endsWith(" failed; leases are not affected, and its further failures are not logged");
    }
}
