package io.leasekit.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.spring.policy.LeaseOnce;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.spring.schedule.FiringOutcome;
import io.leasekit.spring.schedule.JobSchedulers;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/** One of the two owns the lease that a waiter for a run gets: the body that has started, or the end of the wait. */
class RunWaiterTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final List<Runnable> scheduled = new ArrayList<>();
    private final List<Lease> started = new ArrayList<>();
    private final List<Firing> firings = new ArrayList<>();
    private final CompletableFuture<Optional<Lease>> acquiring = new CompletableFuture<>();
    private final RunWaiters waiters = new RunWaiters(new JobSchedulers(beans));
    private final Lease lease = fake(Lease.class, () -> CompletableFuture.completedFuture(null));
    private int acquires;
    private Runnable duringAcquire = () -> {};
    private final LeaseManager manager = fake(LeaseManager.class, () -> {
        acquires++;
        duringAcquire.run();
        return acquiring;
    });
    private boolean valid = true;
    private int released;
    private final CountDownLatch release = new CountDownLatch(1);

    @Test
    void aBodyThatStartsBeforeTheAcquireHasReturnedToItsCallerKeepsItsLease() throws Exception {
        schedulerStarts(Runnable::run);
        acquiring.complete(Optional.of(lease));

        await();

        assertThat(started).containsExactly(lease);
        assertThat(released).as("released under the running body").isZero();
    }

    @Test
    void aStopAfterTheStartOfTheBodyLeavesItTheLease() throws Exception {
        schedulerStarts(Runnable::run);
        await();
        acquiring.complete(Optional.of(lease));

        waiters.close();

        assertThat(started).containsExactly(lease);
        assertThat(released).isZero();
    }

    @Test
    void aStopDuringTheAcquireReleasesTheLease() throws Exception {
        schedulerStarts(Runnable::run);
        duringAcquire = waiters::close;
        acquiring.complete(Optional.of(lease));

        await();

        assertThat(started).isEmpty();
        assertThat(released).isPositive();
    }

    @Test
    void aStopDuringTheAcquireGivesTheAcquireUp() throws Exception {
        schedulerStarts(Runnable::run);
        duringAcquire = waiters::close;

        await();

        assertThat(acquiring).isCancelled();
        assertThat(started).isEmpty();
    }

    @Test
    void aStopBetweenTheGrantAndTheStartReleasesTheLeaseAndTheBodyDoesNotStart() throws Exception {
        schedulerStarts(scheduled::add);
        await();
        acquiring.complete(Optional.of(lease));

        waiters.close();
        scheduled.forEach(Runnable::run);

        assertThat(firings.get(0).outcome()).isEqualTo(FiringOutcome.CLOSING);
        assertThat(released).isEqualTo(1);
        assertThat(started).isEmpty();
    }

    @Test
    void aLeaseThatIsLostBeforeTheSchedulerHasAThreadStartsNothing() throws Exception {
        schedulerStarts(scheduled::add);
        await();
        acquiring.complete(Optional.of(lease));

        valid = false;
        scheduled.remove(0).run();
        assertThat(started).isEmpty();
        assertThat(released).isEqualTo(1);
        assertThat(acquires).as("it waits again").isEqualTo(2);

        valid = true;
        scheduled.remove(0).run();
        assertThat(started).containsExactly(lease);
    }

    @Test
    void anExecutorThatFindsTheLeaseLostAfterTheEndOfTheWaitStartsNothing() throws Exception {
        schedulerStarts(scheduled::add);
        await();
        acquiring.complete(Optional.of(lease));
        waiters.close();

        valid = false;
        scheduled.remove(0).run();

        assertThat(started).isEmpty();
        assertThat(acquires).isEqualTo(1);
    }

    @Test
    void aFiringOfAnEarlierSlotLeavesTheWaitForTheNewestOne() throws Exception {
        await("2");
        await("1");
        assertThat(acquiring).isNotDone();

        await("3");

        assertThat(acquiring).isCancelled();
    }

    @Test
    void theOrderOfNamesIsThatOfTheTable() throws Exception {
        await("\uFF21");
        assertThat(acquiring).isNotDone();

        await("\uD83D\uDE00"); // later in UTF-8, earlier in UTF-16

        assertThat(acquiring).isCancelled();
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aWaitForARunInAnyOrderThatEndsForAnotherRunIsLogged(CapturedOutput output) throws Exception {
        await("A", OnceOrder.ANY);
        await("A", OnceOrder.ANY);
        assertThat(acquiring).isNotDone();

        await("B", OnceOrder.ANY);

        assertThat(acquiring).isCancelled();
        assertThat(firings.subList(0, 2))
                .extracting(firing -> firing.outcome().kind())
                .containsOnly(FiringOutcome.Kind.LEFT);
        assertThat(output).contains("Waiting for run 'B' of 'Job.run', no longer for run 'A'");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aLeaseIsReleasedIfTheSchedulerRejectsItsRunLater(CapturedOutput output) throws Exception {
        try (SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler()) {
            scheduler.setTargetTaskExecutor(task -> {
                throw new TaskRejectedException("full");
            });
            beans.registerSingleton("taskScheduler", scheduler);
            await();

            acquiring.complete(Optional.of(lease));

            assertThat(release.await(10, TimeUnit.MINUTES)).isTrue();
            assertThat(started).isEmpty();
            assertThat(output)
                    .contains("Run '1' of 'Job.run' is left to other nodes, because the scheduler rejected it: full");
        } finally {
            waiters.close();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aRunThatTheSchedulerRejectsAtOnceIsNotSkippedInSilence(CapturedOutput output) throws Exception {
        schedulerStarts(task -> {
            throw new TaskRejectedException("full");
        });
        await();

        acquiring.complete(Optional.of(lease));

        assertThat(released).isEqualTo(1);
        assertThat(started).isEmpty();
        assertThat(firings.get(0).outcome().why()).contains("The scheduler has rejected it", "full");
        assertThat(output)
                .contains("Run '1' of 'Job.run' is left to other nodes, because the scheduler rejected it: full");
    }

    private void schedulerStarts(Executor executor) {
        beans.registerSingleton("leaseRunExecutor", executor);
    }

    private void await() throws NoSuchMethodException {
        await("1");
    }

    private void await(String run) throws NoSuchMethodException {
        await(run, OnceOrder.GROWING);
    }

    private void await(String run, OnceOrder order) throws NoSuchMethodException {
        LeaseSchedule schedule =
                LeaseSchedule.of(Object.class.getMethod("toString"), Object.class, beans, name -> Clock.systemUTC());
        LeaseOnce once = new LeaseOnce("Job.run", schedule, false, null, order, true, null);
        Firing firing = Firing.byTest(Object.class, "toString");
        firings.add(firing);
        waiters.await(
                manager,
                new RunWaiter.Run(
                        once,
                        LeaseRequest.of("job").once(run, order),
                        firing,
                        null,
                        (lease, request) -> started.add(lease),
                        failure -> {}));
    }

    /** Returns an object of which the waiter calls one method: {@code acquireAsync} of a manager, {@code releaseAsync} of a lease. */
    private <T> T fake(Class<T> type, Supplier<Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "releaseAsync":
                            released++;
                            release.countDown();
                            return answer.get();
                        case "acquireAsync":
                            return answer.get();
                        case "isValid":
                            return valid;
                        case "equals":
                            return proxy == arguments[0];
                        case "hashCode":
                            return System.identityHashCode(proxy);
                        default:
                            return type.getSimpleName();
                    }
                }));
    }
}
