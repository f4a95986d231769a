package io.leasekit.test;

import io.leasekit.LeaseMeasurement;
import io.leasekit.LeaseMeasurement.AcquireEnded;
import io.leasekit.LeaseMeasurement.AcquireOutcome;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.assertj.core.api.AssertProvider;

/**
 * The calls of the process under test that requested a lease, through an annotated method or through the manager. A
 * call for a lease of several keys is listed under the first key in natural order. A call that uses the lease of an
 * outer call is not listed.
 *
 * <p>{@code assertThat(leases.calls())} starts an assertion. Thread-safe.
 */
public final class LeaseCalls implements AssertProvider<LeaseCallsAssert> {

    private final List<AcquireEnded> ended = new CopyOnWriteArrayList<>();
    private final Story story;

    LeaseCalls(Story story) {
        this.story = story;
    }

    void add(LeaseMeasurement measurement) {
        if (measurement instanceof AcquireEnded call) {
            ended.add(call);
        }
    }

    /** Returns the calls for a key, in the order in which their acquires ended. */
    public List<AcquireEnded> of(String key) {
        return ended.stream().filter(call -> call.key().equals(key)).toList();
    }

    List<AcquireEnded> of(String key, AcquireOutcome outcome) {
        return of(key).stream().filter(call -> call.outcome() == outcome).toList();
    }

    String keys() {
        return ended.stream().map(AcquireEnded::key).distinct().sorted().collect(Collectors.joining("', '", "'", "'"));
    }

    Story story() {
        return story;
    }

    @Override
    public LeaseCallsAssert assertThat() {
        return new LeaseCallsAssert(this);
    }
}
