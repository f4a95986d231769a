package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseWatch;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.LeaseWatch.Unknown;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Watches in virtual time: the states that a listener is told, in their order. */
class WatchTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");
    private final List<State> states = new ArrayList<>();

    private LeaseWatch watch() {
        return here.leases.watch("key", states::add);
    }

    private static Held held(Lease lease, String owner) {
        return new Held("key", owner, lease.fencingToken());
    }

    private static Free free(Lease lease) {
        return new Free("key", lease.fencingToken());
    }

    // ---- states

    @Test
    void theCurrentStateComesFirst() {
        Lease theirs = other.acquire("key");

        assertThat(watch().key()).isEqualTo("key");

        assertThat(states).containsExactly(held(theirs, "other"));
    }

    @Test
    void aKeyThatNobodyHasHeldIsFree() {
        watch();

        assertThat(states).containsExactly(new Free("key", 0)).allMatch(State::isFree);
    }

    @Test
    void eachHolderIsShownOnceAndEachReleaseWithItsToken() {
        watch();
        Lease first = other.acquire("key");
        bench.advance(Duration.ofMinutes(1)); // with 18 renewals
        first.close();
        bench.advance(SECOND);
        Lease second = here.acquire("key");
        bench.advance(SECOND);

        assertThat(states).containsExactly(new Free("key", 0), held(first, "other"), free(first), held(second, "here"));
    }

    @Test
    void aReleaseThatDeletesTheItemKeepsTheLastToken() {
        Lease theirs = other.acquire("key");
        watch();
        bench.table.remove("key");
        bench.advance(SECOND);

        assertThat(states).containsExactly(held(theirs, "other"), free(theirs));
    }

    @Test
    void aHoldIsShownAsKeptUntilItEnds() {
        Lease theirs = other.acquire(LeaseRequest.of("key").cooldown(Duration.ofMinutes(1)));
        watch();
        theirs.close();
        bench.advance(Duration.ofSeconds(2));
        assertThat(states).containsExactly(held(theirs, "other"), new Kept("key", "other", theirs.fencingToken()));

        bench.advance(Duration.ofSeconds(63)); // by a clock that is exact to about 1.5 s

        assertThat(states).hasSize(3).endsWith(free(theirs));
    }

    @Test
    void aDeadHoldersLeaseIsFreeOnceItHasExpiredAndNotBefore() {
        Lease theirs = other.acquire("key");
        other.store.always(RENEW, LOST);
        here.sample(3);
        watch();
        bench.advance(Bench.TTL.minusSeconds(1));
        assertThat(theirs.isValid()).isTrue();
        assertThat(states).containsExactly(held(theirs, "other"));

        bench.advance(Duration.ofSeconds(4));

        assertThat(theirs.isValid()).isFalse();
        assertThat(states).containsExactly(held(theirs, "other"), free(theirs));
    }

    /** The lease was renewed while the reply was on its way, so the time of its arrival says nothing about its end. */
    @Test
    void aLookThatTookLongShowsNoLeaseAsExpired() {
        Lease theirs = other.acquire("key");
        here.sample(3);
        here.store.next(READ, LOST);
        watch();
        ScriptedStore.Request look = here.store.last(READ);
        StoreReply shown = look.apply();
        here.machine.stop(Bench.TTL.plusSeconds(5)); // the reply waits with the rest of the process
        look.answer(shown);

        assertThat(theirs.isValid()).isTrue();
        assertThat(states).containsExactly(held(theirs, "other"));
    }

    // ---- order

    @Test
    void aLeaseThatWasShownAsFreeIsNotShownAsHeldUnderItsToken() {
        Lease theirs = other.acquire("key");
        LeaseItem before = bench.item("key");
        watch();
        theirs.close();
        bench.advance(SECOND);
        bench.table.put(before); // by a late copy of the acquire
        bench.advance(SECOND);

        assertThat(states).containsExactly(held(theirs, "other"), free(theirs), new Unknown("key"));
    }

    @Test
    void anOlderTokenIsNotShown() {
        Lease first = other.acquire("key");
        LeaseItem before = bench.item("key");
        first.close();
        bench.advance(SECOND);
        Lease second = other.acquire("key");
        watch();
        bench.table.put(before);
        bench.advance(SECOND);
        assertThat(states).containsExactly(held(second, "other"), new Unknown("key"));

        bench.table.remove("key");
        bench.advance(SECOND);

        assertThat(states).hasSize(3).endsWith(free(second));
    }

    @Test
    void anItemWithoutATokenKeepsTheLastOne() {
        Lease theirs = other.acquire("key");
        watch();
        LeaseItem item = bench.item("key");
        bench.table.put(new LeaseItem("key", "crate", item.expiry(), null, null, "crate", null, null));
        bench.advance(SECOND);

        assertThat(states).containsExactly(held(theirs, "other"), new Held("key", "crate", theirs.fencingToken()));
    }

    @Test
    void aSecondWatchIsShownTheSameOrder() {
        Lease theirs = other.acquire("key");
        watch();
        theirs.close();
        bench.advance(SECOND);
        List<State> later = new ArrayList<>();
        here.leases.watch("key", later::add);

        assertThat(later).containsExactly(free(theirs));
    }
}
