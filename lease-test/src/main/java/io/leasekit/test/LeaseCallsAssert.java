package io.leasekit.test;

import io.leasekit.LeaseMeasurement.AcquireEnded;
import io.leasekit.LeaseMeasurement.AcquireOutcome;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on the calls of the process under test that requested a lease. The message of a failed assertion contains
 * the history of the key. Not thread-safe.
 */
public final class LeaseCallsAssert extends AbstractAssert<LeaseCallsAssert, LeaseCalls> {

    LeaseCallsAssert(LeaseCalls actual) {
        super(actual, LeaseCallsAssert.class);
    }

    /**
     * Verifies that at least one call for this key did not run, because another owner held the lease or the run had
     * already succeeded.
     */
    public LeaseCallsAssert skipped(String key) {
        boolean refused = !actual.of(key, AcquireOutcome.UNAVAILABLE).isEmpty()
                || !actual.of(key, AcquireOutcome.ALREADY_RAN).isEmpty();
        return check(refused, key, "a skipped call");
    }

    /** Verifies that at least one call for this key did not run because the store failed. */
    public LeaseCallsAssert failed(String key) {
        return check(!actual.of(key, AcquireOutcome.FAILED).isEmpty(), key, "a call that failed with the store");
    }

    /** Verifies that exactly one call for this key got the lease. */
    public LeaseCallsAssert ranOnce(String key) {
        return ran(key, 1);
    }

    /** Verifies that exactly this number of calls for this key got the lease. */
    public LeaseCallsAssert ran(String key, int times) {
        int seen = actual.of(key, AcquireOutcome.GRANTED).size();
        return check(seen == times, key, times + " calls with the lease, but " + seen + " had it");
    }

    /** Verifies that no call for this key got the lease. */
    public LeaseCallsAssert neverRan(String key) {
        return ran(key, 0);
    }

    /** Verifies that at least one call waited for the lease of this key, even if the call did not get the lease. */
    public LeaseCallsAssert waitedFor(String key) {
        return waitedFor(key, Duration.ofNanos(1));
    }

    /**
     * Verifies that at least one call waited for the lease of this key for this time or longer, even if the call did
     * not get the lease.
     */
    public LeaseCallsAssert waitedFor(String key, Duration atLeast) {
        List<AcquireEnded> calls = actual.of(key);
        boolean waited = calls.stream().anyMatch(call -> call.waited().compareTo(atLeast) >= 0);
        List<String> waits =
                calls.stream().map(call -> Text.exact(call.waited())).toList();
        return check(
                waited,
                key,
                "a call that waited for at least " + Text.exact(atLeast) + ", but the waits were " + waits);
    }

    private LeaseCallsAssert check(boolean holds, String key, String expected) {
        isNotNull();
        if (!holds) {
            throw failure(
                    "%nExpected for lease %s: %s%nCalls: %s%nThere were calls for: %s%nIts story:%n%s",
                    Text.quote(key),
                    expected,
                    actual.of(key),
                    actual.keys(),
                    actual.story().of(key));
        }
        return this;
    }
}
