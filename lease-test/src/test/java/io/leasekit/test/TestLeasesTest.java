package io.leasekit.test;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseInterruptedException;
import io.leasekit.LeaseLock;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.OnceOrder;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.dynamodb.LeaseFencing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

@Timeout(600)
class TestLeasesTest {

    private final TestLeases leases = TestLeases.create();
    private final LeaseManager here = leases.manager();
    private final LeaseNode other = leases.node("other");

    @Test
    void aLeaseIsHeldAndReleased() {
        Lease lease = here.acquire(LeaseRequest.of("report"));

        assertThat(leases).holds("report").isHeldBy("report", TestLeases.OWN);
        lease.close();

        assertThat(leases).released("report").isFree("report").doesNotHold("report");
        assertThat(leases.calls()).ranOnce("report");
    }

    @Test
    void anotherNodeKeepsItsLeaseByHeartbeats() {
        other.hold("report");

        leases.advance(Duration.ofHours(2));

        assertThat(here.tryAcquire("report")).isEmpty();
        assertThat(leases).isHeldBy("report", "other");
        assertThat(leases.calls()).skipped("report").neverRan("report");
    }

    @Test
    void theLeaseOfACrashedNodeEndsWithItsTtl() {
        other.hold("report");
        other.crash();

        leases.advance(ofSeconds(59));
        assertThat(here.tryAcquire("report")).isEmpty();
        leases.advance(ofSeconds(11));

        assertThat(here.tryAcquire("report")).isPresent();
        assertThat(leases).hasGrowingTokens("report");
    }

    @Test
    void aCrashedNodeComesBackWithoutItsLeases() {
        other.hold("report");
        other.crash();
        assertThatIllegalStateException().isThrownBy(() -> other.hold("a")).withMessageContaining("comeBack()");
        other.comeBack();

        assertThatIllegalStateException()
                .isThrownBy(() -> other.release("report"))
                .withMessage("Node 'other' does not hold 'report', it holds []");
        other.hold(LeaseRequest.of("report").waitFor(ofMinutes(2)));
        assertThat(leases).isHeldBy("report", "other");
    }

    @Test
    void aPausedNodeLosesItsLeaseAndLearnsItLate() {
        Lease held = other.hold("report");
        other.pause();
        leases.advance(ofMinutes(2));
        Lease taken = here.acquire(LeaseRequest.of("report"));
        assertThat(held.lost().toCompletableFuture()).isNotDone();

        other.comeBack();

        assertThat(held.lost().toCompletableFuture()).isDone();
        assertThat(taken.isValid()).isTrue();
        assertThat(taken.fencingToken()).isGreaterThan(held.fencingToken());
    }

    @Test
    void aPausedNodeReceivesNoReplyBeforeItContinues() {
        other.hold("else");
        leases.latency(ofSeconds(1));
        LeaseManager process = other.manager();
        CompletableFuture<Optional<Lease>> asked = process.acquireAsync(LeaseRequest.of("report"));

        other.pause();
        leases.advance(ofSeconds(20));

        assertThat(leases).as("what was sent takes effect").isHeldBy("report", "other");
        assertThat(process.held()).extracting(LeaseStatus::key).containsExactly("else");
        other.comeBack();
        leases.advance(ofSeconds(10));
        assertThat(asked).isCompleted();
    }

    @Test
    void aWaitMovesTheTimeUntilItEnds() {
        other.hold("report");
        Instant before = leases.now();

        assertThatThrownBy(() -> here.acquire(LeaseRequest.of("report").waitFor(ofSeconds(30))))
                .isInstanceOf(LeaseUnavailableException.class);

        assertThat(Duration.between(before, leases.now())).isBetween(ofSeconds(30), ofSeconds(31));
        assertThat(leases.calls()).waitedFor("report", ofSeconds(30)).skipped("report");
    }

    @Test
    void aWaitEndsWhenTheOtherNodeHasCrashed() {
        other.hold("report");
        other.crash();

        assertThat(here.acquire(LeaseRequest.of("report").waitFor(LeaseRequest.UNLIMITED))
                        .isValid())
                .isTrue();
        assertThat(leases.calls()).ranOnce("report").waitedFor("report");
    }

    @Tag("full")
    @Test
    void aWaitForALeaseThatNobodyReleasesEndsWithAnError() {
        other.hold("report");

        assertThatThrownBy(() -> here.acquire(LeaseRequest.of("report").waitFor(LeaseRequest.UNLIMITED)))
                .isInstanceOf(LeaseInterruptedException.class)
                .hasMessageContaining("nobody has released the lease");

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(here.waiting()).isEmpty();
    }

    @Tag("full")
    @Test
    void aLockThatNobodyUnlocksEndsWithAnErrorToo() {
        other.hold("report");
        LeaseLock lock = here.lock("report");

        assertThatThrownBy(lock::lock)
                .isInstanceOf(LeaseInterruptedException.class)
                .hasMessageContaining("nobody has released the lease");
        other.crash();
        lock.lock();

        assertThat(leases).holds("report");
        lock.unlock();
        assertThat(leases).isFree("report");
    }

    @Test
    void aWaitOnAnotherThreadEndsWhenTheTestMovesTheTime() throws Exception {
        other.hold("report");
        CompletableFuture<Lease> waiting = CompletableFuture.supplyAsync(
                () -> here.acquire(LeaseRequest.of("report").waitFor(ofMinutes(1))));
        while (here.waiting().isEmpty()) {
            Thread.onSpinWait();
        }

        other.release("report");
        leases.advance(ofSeconds(10));

        assertThat(waiting.get(10, TimeUnit.MINUTES).isValid()).isTrue();
    }

    @Test
    void aWaitOnAnotherThreadDoesNotMoveTheTimeWhileTheTestRuns() {
        other.hold("report");
        Instant before = leases.now();
        long begun = System.nanoTime();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() ->
                here.tryAcquire(LeaseRequest.of("report").waitFor(ofMinutes(1))).isPresent());
        boolean moved;
        Duration ran;
        do {
            moved = !leases.now().equals(before);
            ran = Duration.ofNanos(System.nanoTime() - begun);
        } while (!moved && ran.compareTo(ofSeconds(2)) < 0);

        assertThat(moved && ran.compareTo(ofSeconds(4)) < 0)
                .isFalse(); // it moves after five, for a test that never waits
        assertThat(waiting).succeedsWithin(ofMinutes(10)).isEqualTo(false);
    }

    @Test
    void aWaitOnAnotherThreadMovesTheTimeIfNobodyDoes() {
        other.hold("report");
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() ->
                here.tryAcquire(LeaseRequest.of("report").waitFor(ofMinutes(1))).isPresent());

        assertThat(waiting).succeedsWithin(ofMinutes(10)).isEqualTo(false);
    }

    @Test
    void aWaitForAResultThatComesLaterMovesTheTimeIfNobodyDoes() {
        other.hold("report");
        other.crash();

        CompletableFuture<Optional<Lease>> later =
                here.acquireAsync(LeaseRequest.of("report").waitFor(ofMinutes(5)));

        assertThat(later).succeedsWithin(ofMinutes(10)).matches(Optional::isPresent);
        assertThat(Duration.between(VirtualTime.START, leases.now())).isLessThan(ofSeconds(80));
    }

    @Test
    void theTimeMovesThoughAllThreadsOfTheCommonPoolAreBlocked() {
        other.hold("report");
        other.crash();
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
            ForkJoinPool.commonPool().execute(() -> awaitUninterruptibly(end));
        }

        CompletableFuture<Optional<Lease>> later =
                here.acquireAsync(LeaseRequest.of("report").waitFor(ofMinutes(5)));

        try {
            assertThat(later).succeedsWithin(ofMinutes(10)).matches(Optional::isPresent);
        } finally {
            end.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLeaseCanBeLostForEachReason(LeaseLossReason reason) {
        Lease lease = here.acquire(LeaseRequest.of("report").holdAtMost(ofMinutes(10)));
        Lease unharmed = other.hold("else");

        leases.lose("report", reason);

        assertThat(lease.lost()).isCompletedWithValue(reason);
        assertThat(leases).lost("report", reason);
        assertThat(unharmed.isValid()).isTrue();
    }

    @Test
    void aLossThatCannotHappenIsAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> leases.lose("report", LeaseLossReason.EXPIRED))
                .withMessageContaining("Lease 'report' is not held by this process");
        here.acquire(LeaseRequest.of("report"));
        assertThatIllegalStateException()
                .isThrownBy(() -> leases.lose("report", LeaseLossReason.HOLD_LIMIT))
                .withMessageContaining("was not lost within 1 d, expected HOLD_LIMIT");
    }

    @Test
    void aPassiveLeaseCannotNoticeAnotherOwner() {
        here.acquire(LeaseRequest.of("report").passive());

        assertThatIllegalStateException()
                .isThrownBy(() -> leases.lose("report", LeaseLossReason.TAKEN))
                .withMessageStartingWith(
                        "Lease 'report' ended with the losses [EXPIRED], expected TAKEN; its story is:\n")
                .withMessageContaining("this-node    lost, EXPIRED");
    }

    @Test
    void aFailingStoreFailsAcquiresAndAShortOutageCostsNoLease() {
        Lease held = here.acquire(LeaseRequest.of("held"));

        leases.storeFails();
        assertThatThrownBy(() -> here.acquire(LeaseRequest.of("report"))).isInstanceOf(LeaseStoreException.class);
        leases.advance(ofSeconds(20));
        leases.storeRecovers();
        leases.advance(ofMinutes(5));

        assertThat(held.isValid()).isTrue();
        assertThat(leases.calls()).failed("report").neverRan("report");
        assertThat(here.tryAcquire("report")).isPresent();
    }

    @Test
    void aLostReplyIsRetriedAndTheLeaseIsHeldOnce() {
        leases.loseReplies(1);

        Lease lease = here.acquire(LeaseRequest.of("report"));

        assertThat(lease.isValid()).isTrue();
        assertThat(leases).holds("report");
        assertThat(leases.calls()).ranOnce("report");
    }

    @Test
    void requestsTakeTheLatency() {
        leases.latency(ofMillis(200));
        Instant before = leases.now();

        Lease lease = here.acquire(LeaseRequest.of("report"));

        assertThat(lease.isValid()).isTrue();
        assertThat(Duration.between(before, leases.now())).isBetween(ofMillis(200), ofMillis(800));
    }

    @Test
    void holdsLast() {
        here.acquire(LeaseRequest.of("report").holdAtLeast(ofMinutes(10))).close();

        assertThat(here.tryAcquire("report")).isEmpty();
        leases.advance(ofMinutes(9));
        assertThatIllegalStateException().isThrownBy(() -> other.hold("report"));
        leases.advance(ofMinutes(2));

        other.hold("report");
    }

    @Test
    void aRunIsDoneOnce() {
        other.ran("report", "2027-01-15");

        assertThat(here.tryAcquire(LeaseRequest.of("report").once("2027-01-15", OnceOrder.GROWING)))
                .isEmpty();
        Lease next = here.acquire(LeaseRequest.of("report").once("2027-01-16", OnceOrder.GROWING));
        next.recordRun(LeaseRunOutcome.SUCCEEDED);
        next.close();

        assertThat(leases.calls()).skipped("report").ranOnce("report");
    }

    @Test
    void theTransactionOfAStaleWriterIsCancelled() {
        Lease lease = here.acquire(LeaseRequest.of("report"));
        ConditionCheck check = lease.conditionCheck();
        transact(check);

        leases.lose("report", LeaseLossReason.TAKEN);

        assertThatThrownBy(() -> transact(check)).isInstanceOfSatisfying(TransactionCanceledException.class, e -> {
            assertThat(LeaseFencing.isStale(e, 0)).isFalse();
            assertThat(LeaseFencing.isStale(e, 1)).isTrue();
        });
    }

    @Test
    void theCheckHoldsAcrossRenewalsAndFailsAfterTheRelease() {
        Lease lease = here.acquire(LeaseRequest.of("report"));
        ConditionCheck check = lease.conditionCheck();

        leases.advance(ofMinutes(5));
        transact(check);
        lease.close();

        assertThatThrownBy(() -> transact(check)).isInstanceOf(TransactionCanceledException.class);
    }

    @Test
    void theTransactionOfAWorkerWithAFenceIsCancelledOnceTheLeaseHasEnded() {
        LeaseFence fence = here.acquire(LeaseRequest.of("report")).fence();
        ConditionCheck check = LeaseFencing.conditionCheck("leases", fence);
        leases.advance(ofMinutes(5));
        transact(check);

        leases.lose("report", LeaseLossReason.TAKEN);

        assertThatThrownBy(() -> transact(check)).isInstanceOf(TransactionCanceledException.class);
    }

    @Test
    void progressInATransactionIsWrittenUnlessTheWriterIsStale() {
        Progress<String> first =
                other.hold(LeaseRequest.of("import").resumable()).progress(ProgressCodec.text());
        transact(first.update("9000"));
        TransactWriteItem late = first.update("9001");
        other.crash();
        leases.advance(ofSeconds(75));

        Lease lease = here.acquire(LeaseRequest.of("import").resumable());
        assertThat(lease.progress(ProgressCodec.text()).last()).contains("9000");
        assertThatThrownBy(() -> transact(late)).isInstanceOfSatisfying(TransactionCanceledException.class, e -> {
            assertThat(LeaseFencing.isStale(e, 0)).isFalse();
            assertThat(LeaseFencing.isStale(e, 1)).isTrue();
        });
        leases.advance(ofMinutes(5)); // renewals keep the progress
        transact(lease.progress(ProgressCodec.text()).update("9002"));
        lease.close();

        Lease next = here.acquire(LeaseRequest.of("import").resumable());
        assertThat(next.progress(ProgressCodec.text()).last()).contains("9002");
        next.recordRun(LeaseRunOutcome.SUCCEEDED);
        next.close();
        assertThat(here.acquire(LeaseRequest.of("import").resumable())
                        .progress(ProgressCodec.text())
                        .last())
                .isEmpty();
    }

    @Test
    void progressOfANamedRunIsWrittenWithItsName() {
        LeaseRequest run =
                LeaseRequest.of("import").once("monday", OnceOrder.GROWING).resumable();
        transact(other.hold(run).progress(ProgressCodec.text()).update("9000"));
        other.crash();
        leases.advance(ofSeconds(75));

        assertThat(here.acquire(run).progress(ProgressCodec.text()).last()).contains("9000");
    }

    @Test
    void progressOfATransactionAfterTheReleaseIsStale() {
        Lease lease = here.acquire(LeaseRequest.of("import").resumable());
        Progress<String> progress = lease.progress(ProgressCodec.text());
        transact(progress.update("1"));
        TransactWriteItem late = progress.update("2");
        lease.close();

        assertThatThrownBy(() -> transact(late))
                .isInstanceOfSatisfying(
                        TransactionCanceledException.class,
                        e -> assertThat(LeaseFencing.isStale(e, 1)).isTrue());
        assertThatThrownBy(() -> progress.update("3")).hasMessageEndingWith(" is not valid: it was released");
        assertThat(here.acquire(LeaseRequest.of("import").resumable())
                        .progress(ProgressCodec.text())
                        .last())
                .contains("1");
    }

    @Test
    void progressIsSavedInOneWayAsInProduction() {
        Progress<String> progress =
                here.acquire(LeaseRequest.of("import").resumable()).progress(ProgressCodec.text());
        progress.save("1");

        assertThatThrownBy(() -> progress.update("2")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aNoteIsInTheReleaseAndAnUnwrittenOneIsLostInACrash() {
        LeaseRequest job = LeaseRequest.of("import").resumable();
        Lease lease = here.acquire(job);
        lease.progress(ProgressCodec.text()).note("1");
        lease.close();
        Lease dead = other.hold(job);
        dead.progress(ProgressCodec.text()).note("2");
        other.crash();
        leases.advance(ofSeconds(75));

        assertThat(here.acquire(job).progress(ProgressCodec.text()).last()).contains("1");
    }

    @Test
    void aCancelledTransactionWritesNoProgress() {
        Lease stale = here.acquire(LeaseRequest.of("report"));
        ConditionCheck check = stale.conditionCheck();
        stale.close();
        Lease lease = here.acquire(LeaseRequest.of("import").resumable());
        TransactWriteItem progress = lease.progress(ProgressCodec.text()).update("1");

        assertThatThrownBy(() -> leases.transact(TransactWriteItemsRequest.builder()
                        .transactItems(
                                progress,
                                TransactWriteItem.builder()
                                        .conditionCheck(check)
                                        .build())
                        .build()))
                .isInstanceOf(TransactionCanceledException.class);
        lease.close();

        assertThat(here.acquire(LeaseRequest.of("import").resumable())
                        .progress(ProgressCodec.text())
                        .last())
                .isEmpty();
    }

    private void transact(ConditionCheck check) {
        transact(TransactWriteItem.builder().conditionCheck(check).build());
    }

    private void transact(TransactWriteItem part) {
        leases.transact(TransactWriteItemsRequest.builder()
                .transactItems(
                        TransactWriteItem.builder()
                                .put(put -> put.tableName("orders"))
                                .build(),
                        part)
                .build());
    }

    @Test
    void severalKeysAreOneLease() {
        other.hold("b");
        assertThatThrownBy(() -> here.acquireAll("a", "b")).isInstanceOf(LeaseUnavailableException.class);
        assertThat(leases).isFree("a");
        other.release("b");

        here.acquireAll("a", "b");
        assertThat(leases).holds("a").holds("b");
    }

    @Test
    void timeDoesNotMoveBack() {
        assertThatIllegalArgumentException().isThrownBy(() -> leases.advance(ofSeconds(-1)));
        leases.advance(ofSeconds(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leases.advanceTo(VirtualTime.START))
                .withMessage("Time cannot move back from 2027-01-15T08:00:01Z to 2027-01-15T08:00:00Z");
        assertThatIllegalArgumentException().isThrownBy(() -> leases.latency(ofSeconds(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> leases.loseReplies(-1));
    }

    @Test
    void theOwnNameIsNoOtherNode() {
        assertThatIllegalArgumentException().isThrownBy(() -> leases.node(TestLeases.OWN));
        assertThatIllegalArgumentException().isThrownBy(() -> leases.node(" "));
        assertThat(leases.node("other")).isSameAs(other);
    }

    @Test
    void aFailedAssertionTellsTheStory() {
        other.hold("report");
        here.tryAcquire("report");
        other.crash();

        assertThatThrownBy(() -> assertThat(leases).holds("report"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        "Expected for lease 'report': that this process holds it, but it does not hold it")
                .hasMessageContaining("Keys of this test: [report], nodes: [other]")
                .hasMessageContaining("0.000 s  other        acquired, token 18000000")
                .hasMessageContaining("0.000 s  this-node    refused, held by 'other'")
                .hasMessageContaining("0.000 s  other        crashed");
        assertThatThrownBy(() -> assertThat(leases.calls()).ranOnce("reprot"))
                .hasMessageContaining("There were calls for: 'report'");
        assertThatThrownBy(() -> assertThat(leases).isFree("report")).hasMessageContaining("its holder was 'other'");
        assertThatThrownBy(() -> assertThat(leases).isHeldBy("report", "x")).hasMessageContaining("it was 'other'");
        assertThatThrownBy(() -> assertThat(leases).released("report")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(leases).hasGrowingTokens("report")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(leases).lost("report", LeaseLossReason.TAKEN))
                .hasMessageContaining("the losses were []");
        assertThatThrownBy(() -> assertThat(leases.calls()).waitedFor("report")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(leases.calls()).failed("report")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(leases.calls()).skipped("x")).isInstanceOf(AssertionError.class);
    }

    @Test
    void aTestRepeatsItsSchedule() {
        List<String> stories = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TestLeases again = TestLeases.create();
            LeaseNode node = again.node("other");
            node.hold("report");
            again.latency(ofMillis(70));
            CompletableFuture<?> waits =
                    again.manager().acquireAsync(LeaseRequest.of("report").waitFor(ofMinutes(5)));
            again.advance(ofSeconds(33));
            node.crash();
            again.advance(ofMinutes(3));
            assertThat(waits).isCompleted();
            stories.add(again.toString());
        }

        assertThat(stories).containsOnly(stories.get(0));
        assertThat(stories.get(0)).contains("this-node    acquired");
    }

    @Test
    void aClosedManagerLetsTheTimePass() {
        here.acquire(LeaseRequest.of("report"));

        here.close();

        assertThat(leases).lost("report", LeaseLossReason.CLOSED);
    }

    @Test
    void settingsOfTheManagerAreThoseOfTheTest() {
        TestLeases shorter =
                TestLeases.create(settings -> settings.ttl(ofSeconds(2)).owner("x"));

        Lease lease = shorter.manager().acquire(LeaseRequest.of("report"));

        assertThat(lease.remaining()).isLessThanOrEqualTo(ofSeconds(2));
        assertThat(lease.owner()).isEqualTo(TestLeases.OWN);
    }
}
