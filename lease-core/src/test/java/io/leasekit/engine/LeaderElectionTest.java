package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.RunStoppedException;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Elections in virtual time. The work runs on the thread of the test and moves the time itself. */
class LeaderElectionTest {

    private static final Duration STOP_TIMEOUT = Bench.TTL.dividedBy(4);
    private static final Duration BACKOFF = Duration.ofSeconds(2);
    private static final Duration HEARTBEAT = Bench.TTL.dividedBy(3);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration RELEASES = Duration.ofSeconds(5);

    @RegisterExtension
    private final LogLines logs = new LogLines("io.leasekit.leader");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");
    private final Leaders leaders = new Leaders();
    private final List<String> journal = new ArrayList<>();

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private LeaderElection elect(LeaderElection.Work work) {
        return leaders.elect(here.leases, "key", work);
    }

    private List<String> warnings() {
        return logs.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(line -> line.getFormattedMessage())
                .toList();
    }

    // ---- a term

    @Test
    void theWorkBeginsUnderAValidLease() {
        LeaderElection election = elect(lease -> {
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.key()).isEqualTo("key");
            journal.add("led");
        });

        assertThat(election.isLeader()).isTrue();
        leaders.runNext();

        assertThat(journal).containsExactly("led");
        assertThat(election.isLeader()).isFalse();
    }

    @Test
    void theLeaseIsRenewedWhileTheWorkRuns() {
        LeaderElection election = elect(lease -> bench.assertHeldFor(Duration.ofMinutes(5), lease));
        leaders.runNext();

        assertThat(warnings()).isEmpty();
        assertThat(election.stoppingFor()).isEmpty();
    }

    @Test
    void theLeaseIsReleasedOnceTheWorkHasReturned() {
        elect(lease -> assertThat(here.store.sent(RELEASE)).isEmpty());
        leaders.runNext();

        assertThat(here.store.sent(RELEASE)).hasSize(1);
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void theNextCampaignBeginsAfterTheBackoff() {
        elect(lease -> {});
        leaders.runNext();

        bench.advance(BACKOFF.dividedBy(2).minus(MILLI)); // up to half of it is left out
        assertThat(leaders.ready()).isZero();
        bench.advance(BACKOFF.dividedBy(2).plus(MILLI));
        assertThat(leaders.ready()).isOne();
    }

    @Test
    void theBackoffDoublesAfterShortTermsThatFailedUpToAMinuteAndALongTermResetsIt() {
        elect(lease -> {
            if (journal.size() == 7) {
                bench.advance(Duration.ofMinutes(1));
            }
            journal.add("led");
            throw new IllegalStateException("broken");
        });
        for (int pause : List.of(2, 4, 8, 16, 32, 60, 60, 2, 4)) {
            leaders.runNext();
            assertNextTermAfter(Duration.ofSeconds(pause));
        }
    }

    @Test
    void aTermThatWasHandedOverInOrderResetsTheBackoff() {
        List<LeaderElection> self = new ArrayList<>();
        self.add(elect(lease -> {
            journal.add("led");
            switch (journal.size()) {
                case 3 -> {} // returns
                case 6 -> { // resigns, and fails as interrupted code does
                    self.get(0).resign();
                    assertThat(Thread.interrupted()).isTrue();
                    throw new InterruptedException();
                }
                default -> throw new IllegalStateException("broken");
            }
        }));
        for (int pause : List.of(2, 4, 2, 4, 8, 2, 4)) {
            leaders.runNext();
            assertNextTermAfter(Duration.ofSeconds(pause));
        }
    }

    @Test
    void shortTermsWhoseLeasesAreLostBackOff() {
        elect(lease -> {
            other.leases.forceRelease("key", lease.fencingToken());
            bench.advance(HEARTBEAT);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(lease.lossReason()).isPresent();
        });
        for (int pause : List.of(2, 4, 8, 16, 32)) {
            leaders.runNext();
            bench.advance(Duration.ofSeconds(pause).dividedBy(2).minus(MILLI));
            assertThat(leaders.ready()).isZero();
            bench.advance(Duration.ofSeconds(pause).plus(Bench.TTL)); // the lost lease may keep the key for a while
            assertThat(leaders.ready()).isOne();
        }
    }

    private void assertNextTermAfter(Duration pause) {
        Duration half = pause.dividedBy(2); // the rest of it is random
        bench.advance(half.minus(MILLI));
        assertThat(leaders.ready()).as("after %d terms", journal.size()).isZero();
        bench.advance(half.plus(MILLI));
        assertThat(leaders.ready()).as("after %d terms", journal.size()).isOne();
    }

    @Test
    void aFailedWorkEndsItsTermAndIsLogged() {
        elect(lease -> {
            throw new IllegalStateException("broken");
        });
        leaders.runNext();

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(warnings()).containsExactly("Leader of 'key' failed");
        bench.advance(BACKOFF);
        assertThat(leaders.ready()).isOne();
    }

    @Test
    void anErrorOfTheWorkEndsItsTermToo() {
        elect(lease -> {
            throw new StackOverflowError();
        });
        leaders.runNext();

        bench.advance(BACKOFF);
        assertThat(leaders.ready()).isOne();
    }

    @Test
    void withoutAThreadTheLeaseIsReleasedAndTheNextCampaignFollows() {
        List<Runnable> asked = new ArrayList<>();
        here.leases.elect(
                LeaseRequest.of("key"),
                leaders.settings().threads(task -> {
                    asked.add(task);
                    throw new OutOfMemoryError("unable to create native thread");
                }),
                lease -> journal.add("led"));

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(warnings())
                .containsExactly("No thread could be started for the leader of 'key', so its term ends:"
                        + " unable to create native thread");
        assertThat(logs.list)
                .filteredOn(line -> line.getLevel() == Level.INFO)
                .as("of a term that never began")
                .isEmpty();
        bench.advance(BACKOFF);
        assertThat(asked).hasSize(2);
        assertThat(journal).isEmpty();
    }

    // ---- the stop

    /** Runs until the work is told to stop; returns the time since the call. */
    private Duration untilTold() {
        long begun = bench.time.elapsed();
        while (!Thread.interrupted()) {
            bench.advance(MILLI);
            assertThat(bench.time.elapsed() - begun)
                    .isLessThan(Duration.ofMinutes(1).toNanos());
        }
        return Duration.ofNanos(bench.time.elapsed() - begun);
    }

    @Test
    void theWorkIsToldToStopTheStopTimeoutBeforeTheValidityEnds() {
        LeaderElection election = elect(lease -> {
            here.store.always(RENEW, LOST);
            assertThat(untilTold()).isBetween(Duration.ofMillis(7_480), Duration.ofMillis(7_500));
            assertThat(lease.remaining()).isBetween(STOP_TIMEOUT.minus(MILLI), STOP_TIMEOUT);
            assertThat(lease.lost().toCompletableFuture()).isNotDone();
            journal.add("told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("told");
        assertThat(election.isLeader()).isFalse();
    }

    @Test
    void aRenewalInTimeAvertsTheStop() {
        elect(lease -> {
            here.store.always(RENEW, LOST);
            bench.advance(Bench.TTL.minus(STOP_TIMEOUT).minusSeconds(1));
            here.store.heal();
            bench.advance(Duration.ofMinutes(1));
            assertThat(Thread.interrupted()).isFalse();
            journal.add("not told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("not told");
    }

    @Test
    void aTermOfLimitedLengthIsToldBeforeItsEnd() {
        here.leases.elect(LeaseRequest.of("key").holdAtMost(Duration.ofSeconds(40)), leaders.settings(), lease -> {
            assertThat(untilTold()).isBetween(Duration.ofMillis(37_400), Duration.ofMillis(37_500));
            journal.add("told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("told");
    }

    @Test
    void aRevokedLeaseStopsTheWorkAtTheNextRenewal() {
        elect(lease -> {
            other.leases.forceRelease("key", lease.fencingToken());
            assertThat(untilTold()).isLessThanOrEqualTo(HEARTBEAT);
            assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED);
            journal.add("told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("told");
    }

    @Test
    void afterAStopOfTheProcessBeyondTheValidityTheWorkIsToldAtOnce() {
        elect(lease -> {
            here.machine.stop(Duration.ofMinutes(1));
            bench.advance(Duration.ZERO);
            assertThat(Thread.interrupted()).isTrue();
            journal.add("told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("told");
    }

    @Test
    void afterASuspendOfTheMachineTheWorkIsToldWithinASecond() {
        LeaderElection election = elect(lease -> {
            here.machine.suspend(Duration.ofMinutes(1));
            here.store.always(LOST); // the network comes back later than the clocks
            assertThat(untilTold()).isLessThanOrEqualTo(SECOND);
            journal.add("told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("told");
        assertThat(election.isLeader()).isFalse();
    }

    @Test
    void afterAJumpOfTheWallClockTheWorkIsToldWithinASecondUnlessARenewalCameFirst() {
        elect(lease -> {
            here.machine.jumpWallClock(Duration.ofHours(1));
            here.store.always(LOST);
            assertThat(untilTold()).isLessThanOrEqualTo(SECOND);
            journal.add("told");
        });
        leaders.runNext();

        assertThat(journal).containsExactly("told");
    }

    @Test
    void aWorkIsToldOnce() {
        LeaderElection election = elect(lease -> {
            here.store.always(RENEW, LOST);
            untilTold();
            here.leases.held();
            bench.advance(Duration.ofSeconds(20)); // the lease is lost meanwhile
            journal.add(String.valueOf(Thread.interrupted()));
        });
        leaders.runNext();
        election.close();

        assertThat(journal).containsExactly("false");
    }

    @Test
    void theFailureOfAWorkThatWasToldToStopIsNoWarning() {
        LeaderElection election = elect(lease -> {
            resignLater.get().resign();
            throw new InterruptedException();
        });
        resignLater.set(election);
        leaders.runNext();

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aWorkThatIsToldToStopSeesItAsARequest() {
        LeaderElection election = elect(lease -> {
            assertThat(lease.stopRequested()).isFalse();
            resignLater.get().resign();
            assertThat(lease.stopRequested()).isTrue();
            journal.add("told");
            assertThat(Thread.interrupted()).isTrue();
        });
        resignLater.set(election);
        leaders.runNext();

        assertThat(journal).containsExactly("told");
    }

    @Test
    void aRequestToStopTheManagerEndsTheTermAndNoneFollows() {
        elect(lease -> {
            here.leases.requestStop();
            assertThat(Thread.interrupted()).isTrue();
            throw new RunStoppedException("half done");
        });
        leaders.runNext();
        bench.advance(Duration.ofMinutes(1));

        assertThat(warnings()).isEmpty();
        assertThat(logs.list.stream().map(line -> line.getFormattedMessage()).toList())
                .anyMatch(line -> line.matches("Leader of 'key' \\(token \\d+\\) must stop: the application stops"));
        assertThat(leaders.ready()).isZero();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aWorkThatGoesOnAfterItsLeaseIsLostIsSaidToBeWithoutIt() {
        elect(lease -> {
            other.leases.forceRelease("key", lease.fencingToken());
            bench.advance(HEARTBEAT);
            bench.advance(Bench.TTL);
        });
        leaders.runNext();

        assertThat(warnings())
                .anyMatch(line ->
                        line.matches("Leader of 'key' \\(token \\d+\\) is still running 2.5 s after it was told to"
                                + " stop. Its lease is lost, so another process may lead too"))
                .noneMatch(line -> line.contains("if the lease is lost before"));
    }

    @Test
    void aWorkThatStopsBecauseItsLeaseIsLostIsNoWarning() {
        elect(lease -> {
            other.leases.forceRelease("key", lease.fencingToken());
            bench.advance(HEARTBEAT);
            assertThat(Thread.interrupted()).isTrue();
            throw new RunStoppedException("half done");
        });
        leaders.runNext();

        assertThat(warnings()).isEmpty();
    }

    private final AtomicReference<LeaderElection> resignLater = new AtomicReference<>();

    // ---- pitfalls of other elections

    @Test
    void aLeaseThatIsLostBeforeItsThreadRunsBeginsNoWork() {
        elect(lease -> journal.add("led"));
        here.machine.stop(Duration.ofMinutes(1)); // the thread was started, and has not run yet
        leaders.runNext();

        assertThat(journal).isEmpty();
        bench.advance(BACKOFF.multipliedBy(2));
        leaders.runNext();
        assertThat(journal).containsExactly("led");
    }

    @Test
    void tooLittleValidityBeginsNoWork() {
        here.store.always(RENEW, LOST);
        elect(lease -> journal.add("led"));
        bench.advance(Bench.TTL.minus(STOP_TIMEOUT));
        leaders.runNext();

        assertThat(journal).isEmpty();
    }

    @Test
    void theLeaseIsNotReleasedWhileTheWorkIgnoresItsStop() {
        LeaderElection election = elect(lease -> {
            resignLater.get().resign();
            bench.assertHeldFor(Duration.ofMinutes(10), lease);
            assertThat(here.store.sent(RELEASE)).isEmpty();
            assertThat(resignLater.get().stoppingFor()).contains(Duration.ofMinutes(10));
            assertThat(resignLater.get().isLeader()).isFalse();
        });
        resignLater.set(election);
        leaders.runNext();

        assertThat(here.store.sent(RELEASE)).hasSize(1);
        assertThat(election.stoppingFor()).isEmpty();
        assertThat(warnings())
                .singleElement()
                .asString()
                .matches("Leader of 'key' \\(token \\d+\\) is still running 2.5 s after it was told to stop. Its"
                        + " lease is released only when it returns; if the lease is lost before, another process may"
                        + " lead too");
    }

    @Test
    void anotherLeadsOnlyAfterAStuckWorkHasReturned() {
        Leaders others = new Leaders();
        LeaderElection election = elect(lease -> {
            resignLater.get().resign();
            bench.advance(Duration.ofMinutes(10));
            assertThat(others.ready()).isZero();
        });
        resignLater.set(election);
        others.elect(other.leases, "key", lease -> {});
        leaders.runNext();

        bench.advance(Duration.ofMillis(1_500));
        assertThat(others.ready()).isOne();
    }

    @Test
    void resigningWhileAGrantIsUnderWayBeginsNoWork() {
        here.store.next(ACQUIRE, LOST);
        LeaderElection election = elect(lease -> journal.add("led"));
        ScriptedStore.Request underWay = here.store.last(ACQUIRE);
        election.resign();
        underWay.deliver();

        assertThat(leaders.ready()).isZero();
        bench.advance(Duration.ofSeconds(1));
        assertThat(bench.isHeld("key")).isFalse();
        bench.advance(BACKOFF);
        leaders.runNext();
        assertThat(journal).containsExactly("led");
    }

    @Test
    void closingWhileAGrantIsUnderWayBeginsNoWorkAndLeavesNoLease() {
        here.store.next(ACQUIRE, LOST);
        LeaderElection election = elect(lease -> journal.add("led"));
        ScriptedStore.Request underWay = here.store.last(ACQUIRE);
        election.close();
        underWay.deliver();
        bench.advance(Duration.ofMinutes(5));

        assertThat(leaders.ready()).isZero();
        assertThat(bench.isHeld("key")).isFalse();
    }

    // ---- the close during an outage

    /** Begins an election whose work returns during an outage, after it was told to stop. */
    private CompletableFuture<Void> closedInAnOutage(Bench.Node node) {
        List<CompletableFuture<Void>> closed = new ArrayList<>();
        AtomicReference<LeaderElection> self = new AtomicReference<>();
        self.set(leaders.elect(node.leases, "led", lease -> {
            node.store.always(LOST);
            closed.add(Objects.requireNonNull(self.get()).closeAsync().toCompletableFuture());
            bench.advance(SECOND);
            assertThat(Thread.interrupted()).isTrue();
        }));
        leaders.runNext();
        return closed.get(0);
    }

    @Test
    void afterTheWorkTheCloseTimeoutBoundsTheCloseOfAnElection() {
        Bench.Node brief = bench.start("brief", builder -> builder.closeTimeout(Duration.ofSeconds(3)));

        CompletableFuture<Void> closed = closedInAnOutage(brief);

        bench.advance(Duration.ofSeconds(3).minus(MILLI));
        assertThat(closed).isNotDone();
        bench.advance(MILLI);
        assertThat(closed).isCompleted();
    }

    @Test
    void theManagerDoesNotWaitForTheSameReleaseAgain() {
        CompletableFuture<Void> closed = closedInAnOutage(here);
        bench.advance(RELEASES);
        assertThat(closed).isCompleted();

        assertThat(here.leases.closeAsync().toCompletableFuture()).isCompleted();
    }

    @Test
    void theReleaseIsStillSentAfterTheElectionWasClosed() {
        CompletableFuture<Void> closed = closedInAnOutage(here);
        bench.advance(RELEASES);
        assertThat(closed).isCompleted();

        here.store.heal();
        bench.advance(RELEASES.multipliedBy(2));

        assertThat(bench.isHeld("led")).isFalse();
    }

    @Test
    void theReleaseOfAnEarlierTermIsWaitedForSinceTheEndOfThatTerm() {
        LeaderElection election = elect(lease -> here.store.always(LOST));
        leaders.runNext();
        bench.advance(RELEASES.minus(SECOND));

        CompletableFuture<Void> closed = election.closeAsync().toCompletableFuture();

        bench.advance(SECOND.minus(MILLI));
        assertThat(closed).isNotDone();
        bench.advance(MILLI);
        assertThat(closed).isCompleted();
    }

    @Test
    void whatFollowsACloseRunsWhereUserCodeMayBlockAndNotOnTheTimerThatEndsTheWait() {
        List<Runnable> callbacks = new ArrayList<>();
        Bench.Node node = bench.start("node", builder -> builder.callbackExecutor(callbacks::add));
        LeaderElection election = leaders.elect(node.leases, "key", lease -> node.store.always(LOST));
        leaders.runNext();

        CompletableFuture<Void> closed = election.closeAsync().toCompletableFuture();
        bench.advance(RELEASES);
        assertThat(closed).isNotDone();
        callbacks.forEach(Runnable::run);

        assertThat(closed).isCompleted();
    }

    @Test
    void closingBetweenTheGrantAndTheWorkBeginsNoWork() {
        LeaderElection election = elect(lease -> journal.add("led"));
        CompletableFuture<Void> closed = election.closeAsync().toCompletableFuture();
        assertThat(closed).isNotDone();
        leaders.runNext();

        assertThat(journal).isEmpty();
        assertThat(closed).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    /** The line may take any time: a logger may block. */
    @Test
    void closingWhileTheBeginIsLoggedBeginsNoWork() {
        LeaderElection election = elect(lease -> journal.add("led"));
        List<CompletableFuture<Void>> closed = new ArrayList<>();

        logs.onLine("begins", () -> closed.add(election.closeAsync().toCompletableFuture()));
        leaders.runNext();

        assertThat(journal).isEmpty();
        assertThat(closed.get(0)).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
        assertThat(logs.list.stream().map(line -> line.getFormattedMessage()).toList())
                .anyMatch(line -> line.matches("Leader of 'key' \\(token \\d+\\) must stop: its election was closed"))
                .last()
                .asString()
                .contains("has ended after");
    }

    @Test
    void validityThatEndsWhileTheBeginIsLoggedBeginsNoWork() {
        elect(lease -> journal.add("led"));
        here.store.always(RENEW, LOST);

        logs.onLine("begins", () -> bench.advance(Bench.TTL));
        leaders.runNext();

        assertThat(journal).isEmpty();
    }

    @Test
    void twoElectionsOfOneProcessExcludeEachOther() {
        LeaderElection one = elect(lease -> bench.advance(Duration.ofMinutes(1)));
        LeaderElection two = elect(lease -> journal.add("second"));

        assertThat(one.isLeader()).isTrue();
        assertThat(two.isLeader()).isFalse();
        assertThat(leaders.ready()).isOne();
        leaders.runNext();
        assertThat(journal).isEmpty();
        assertThat(two.isLeader()).isTrue();
        leaders.runNext();
        assertThat(journal).containsExactly("second");
    }

    // ---- several processes

    @Test
    void aLeaderThatResignsIsReplacedWithinASecondAndAHalf() {
        Leaders others = new Leaders();
        elect(lease -> bench.advance(Duration.ofMinutes(1)));
        others.elect(other.leases, "key", lease -> journal.add("other"));
        leaders.runNext();

        bench.advance(Duration.ofMillis(1_500));
        assertThat(others.ready()).isOne();
    }

    @Test
    void allProcessesKnowTheLeader() {
        LeaderElection mine = elect(lease -> {});
        LeaderElection theirs = new Leaders().elect(other.leases, "key", lease -> {});
        here.store.verbs();
        other.store.verbs();

        assertThat(mine.leader()).map(LeaseInfo::owner).contains("here");
        assertThat(here.store.verbs()).isEmpty();
        assertThat(theirs.leader()).map(LeaseInfo::owner).contains("here");
        assertThat(other.store.verbs()).containsExactly(READ);
        assertThat(theirs.leader().orElseThrow().fencingToken())
                .isEqualTo(mine.leader().orElseThrow().fencingToken());
    }

    @Test
    void betweenTwoTermsThereIsNoLeader() {
        LeaderElection election = elect(lease -> {});
        leaders.runNext();

        assertThat(election.leader()).isEmpty();
    }

    // ---- the end

    @Test
    void closingEndsACampaign() {
        Lease held = other.acquire("key");
        LeaderElection election = elect(lease -> journal.add("led"));
        election.close();
        held.close();
        bench.advance(Duration.ofMinutes(5));

        assertThat(here.leases.waiting()).isEmpty();
        assertThat(leaders.ready()).isZero();
    }

    @Test
    void closingEndsAPause() {
        LeaderElection election = elect(lease -> {});
        leaders.runNext();
        election.close();
        bench.advance(Duration.ofMinutes(5));

        assertThat(leaders.ready()).isZero();
        assertThat(election.closeAsync().toCompletableFuture()).isCompleted();
    }

    @Test
    void closingTellsTheWorkToStopAndIsDoneWithItsRelease() {
        LeaderElection election = elect(lease -> {
            CompletableFuture<Void> closed = resignLater.get().closeAsync().toCompletableFuture();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(closed).isNotDone();
            here.store.next(RELEASE, request -> {});
        });
        resignLater.set(election);
        leaders.runNext();
        CompletableFuture<Void> closed = election.closeAsync().toCompletableFuture();
        assertThat(closed).isNotDone();
        here.store.last(RELEASE).deliver();

        assertThat(closed).isCompleted();
        bench.advance(Duration.ofMinutes(5));
        assertThat(leaders.ready()).isZero();
    }

    @Test
    void aWorkMayCloseItsElection() {
        LeaderElection election = elect(lease -> {
            resignLater.get().close();
            assertThat(Thread.interrupted()).isTrue();
            journal.add("goes on");
        });
        resignLater.set(election);
        leaders.runNext();

        assertThat(journal).containsExactly("goes on");
        assertThat(election.closeAsync().toCompletableFuture()).isCompleted();
    }

    @Test
    void closingTheManagerClosesItsElections() {
        elect(lease -> {
            CompletableFuture<Void> closed = here.leases.closeAsync().toCompletableFuture();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(closed).isNotDone();
            assertThat(lease.isValid()).as("the work still runs").isTrue();
        });
        leaders.runNext();

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(warnings()).isEmpty();
        assertThatThrownBy(() -> elect(lease -> {}))
                .hasMessage("Lease manager is closed, so it cannot elect a leader of 'key'");
    }

    @Test
    void aCampaignThatFailsBeginsAgainAfterTheBackoff() {
        here.store.next(ACQUIRE, request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));
        elect(lease -> {});

        assertThat(warnings())
                .containsExactly(
                        "Campaign to lead 'key' failed; it is retried: Lease 'key' in table 'scripted': AccessDeniedException");
        bench.advance(BACKOFF);
        assertThat(leaders.ready()).isOne();
    }

    @Test
    void aCampaignThatSeesNoLeaderForTwoTtlsSaysWhyOnceAndWhenItSeesOneAgain() {
        here.store.always("key", ScriptedStore.broken("Connection refused"));
        elect(lease -> {});
        bench.advance(Bench.TTL.multipliedBy(2).minusSeconds(1));
        assertThat(lines()).isEmpty();
        bench.advance(Bench.TTL);
        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("WARN No leader of 'key' has been seen for 2")
                .endsWith(" s: Lease 'key' in table 'scripted': Connection refused");

        bench.advance(Duration.ofMinutes(5));
        other.acquire("key");
        here.store.heal();
        bench.advance(Bench.TTL);
        assertThat(lines())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("INFO A leader of 'key' is seen again after ")
                .endsWith(": owner 'other'");
    }

    @Test
    void aCampaignWhileAnotherLeadsOrHasJustDiedLogsNothing() {
        other.acquire("key");
        elect(lease -> {});
        bench.advance(Duration.ofMinutes(5));
        other.store.always(LOST);
        bench.advance(Bench.TTL.multipliedBy(2));

        assertThat(leaders.ready()).isOne();
        assertThat(lines()).isEmpty();
    }

    @Test
    void aPausedCampaignSaysSoAtInfo() {
        Bench.Node pausing = bench.start("pausing", builder -> builder.pauses(true));
        pausing.leases.pause("key", bench.time.now().plusSeconds(600), "migration");
        leaders.elect(pausing.leases, "key", lease -> {});
        bench.advance(Duration.ofMinutes(5));

        assertThat(lines())
                .singleElement()
                .asString()
                .matches(
                        "INFO No leader of 'key' has been seen for 2.* s: paused until .* by 'pausing' \\('migration'\\)");
    }

    @Test
    void aClosedCampaignLogsNothingMore() {
        here.store.always("key", ScriptedStore.broken("Connection refused"));
        LeaderElection election = elect(lease -> {});
        election.closeAsync();
        bench.advance(Duration.ofMinutes(5));

        assertThat(lines()).isEmpty();
    }

    @Test
    void aWorkThatFailsBecauseItsLeaseWasLostIsNoFurtherWarning() {
        elect(lease -> {
            bench.table.remove("key");
            bench.advance(Bench.TTL.dividedBy(2));
            Thread.interrupted();
            lease.ensureValid();
        });
        leaders.runNext();

        assertThat(warnings()).isEmpty();
    }

    private List<String> lines() {
        return logs.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    // ---- bad requests

    @Test
    void aRequestThatDoesNotSuitAnElectionIsRefused() {
        LeaseRequest request = LeaseRequest.of("key");

        assertRefused(LeaseRequest.ofAll("one", "two"), "Election of 'one', 'two' has 2 keys, expected one key");
        assertRefused(
                request.once("run"),
                "Election of 'key' is for a run, expected no 'once': a leader works until it is told to stop");
        assertRefused(
                request.holdAtLeast(SECOND),
                "Election of 'key' has a hold, expected no 'holdAtLeast' and no 'cooldown': they would delay the next"
                        + " leader");
        assertRefused(
                request.cooldown(SECOND),
                "Election of 'key' has a hold, expected no 'holdAtLeast' and no 'cooldown': they would delay the next"
                        + " leader");
        assertRefused(
                request.waitFor(SECOND), "Election of 'key' waits 1 s, expected no 'waitFor': a campaign has no end");
        assertRefused(
                request.heartbeatInterval(Bench.TTL),
                "heartbeatInterval is 10 s for lease key 'key', expected at most half of the ttl of 10 s");
        assertThat(here.store.verbs()).isEmpty();
    }

    private void assertRefused(LeaseRequest request, String message) {
        assertThatThrownBy(() -> here.leases.elect(request, lease -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void aStopTimeoutIsAtMostAThirdOfTheValidity() {
        LeaseRequest request = LeaseRequest.of("key").ttl(Duration.ofSeconds(9));

        assertThat(here.leases
                        .elect(request, leaders.settings().stopTimeout(Duration.ofSeconds(3)), lease -> {})
                        .stopTimeout())
                .isEqualTo(Duration.ofSeconds(3));
        assertThatThrownBy(() -> here.leases.elect(
                        request,
                        leaders.settings().stopTimeout(Duration.ofSeconds(3).plusNanos(1)),
                        lease -> {}))
                .hasMessage("stopTimeout is 3.000000001 s, expected at most a third of the validity of 9 s, so that"
                        + " renewals can be retried before");
        assertThatThrownBy(() -> leaders.settings().stopTimeout(Duration.ZERO))
                .hasMessage("stopTimeout is 0 s, expected more than zero");
        assertThatThrownBy(() -> leaders.settings().backoff(Duration.ZERO))
                .hasMessage("backoff is 0 s, expected more than zero and at most 365 d");
    }

    @Test
    void aBackoffIsAtMostAYear() {
        Duration year = Duration.ofDays(365);

        assertThat(leaders.settings().backoff(year).backoff()).isEqualTo(year);
        assertThatThrownBy(() -> leaders.settings().backoff(year.plusNanos(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("backoff is 365 d 0.000000001 s, expected more than zero and at most 365 d");
    }

    // ---- threads

    @Test
    void byDefaultTheWorkRunsOnADaemonOfItsOwn() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch begun = new CountDownLatch(1);
        here.leases.elect(LeaseRequest.of("key"), lease -> {
            thread.set(Thread.currentThread());
            begun.countDown();
        });

        assertThat(begun.await(10, TimeUnit.MINUTES)).isTrue();
        thread.get().join();
        assertThat(thread.get().getName()).isEqualTo("lease-leader-key");
        assertThat(thread.get().isDaemon()).isTrue();
        assertThat(bench.isHeld("key")).isFalse();
    }
}
