package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseWatch;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.State;
import io.leasekit.LeaseWatch.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Watches in virtual time: blindness, listeners, and the reads that they cost. */
class WatchersTest extends WatchedBench {

    @RegisterExtension
    private final LogLines logs = new LogLines("io.leasekit.engine.ListeningWatch");

    private int reads() {
        return here.store.sent(READ).size();
    }

    // ---- blindness

    @Test
    void withoutAReadForATtlTheStateIsUnknown() {
        Lease theirs = other.acquire("key");
        watch();
        here.store.always(READ, LOST);
        bench.advance(Bench.TTL.minusSeconds(1));
        assertThat(states).containsExactly(held(theirs, "other"));
        bench.advance(Duration.ofSeconds(1));
        assertThat(states).containsExactly(held(theirs, "other"), new Unknown("key"));

        List<State> later = new ArrayList<>();
        here.leases.watch("key", later::add);
        assertThat(later).containsExactly(new Unknown("key"));

        here.store.heal();
        bench.advance(Duration.ofSeconds(5));
        assertThat(states).hasSize(3).endsWith(held(theirs, "other"));
        assertThat(later).containsExactly(new Unknown("key"), held(theirs, "other"));

        here.store.always(READ, LOST);
        bench.advance(Bench.TTL.plusSeconds(1));
        assertThat(states).hasSize(4).endsWith(new Unknown("key"));
    }

    @Test
    void aWatchThatHasNotReadAtAllSaysUnknownAfterATtl() {
        here.store.always(READ, LOST);
        watch();

        bench.advance(Bench.TTL.plusMillis(1));

        assertThat(states).containsExactly(new Unknown("key"));
    }

    // ---- listeners

    @Test
    void aListenerThatThrowsIsLoggedAndCalledAgain() {
        here.leases.watch("key", state -> {
            states.add(state);
            throw new AssertionError("broken");
        });
        Lease theirs = other.acquire("key");
        bench.advance(SECOND);

        assertThat(states).containsExactly(new Free("key", 0), held(theirs, "other"));
        assertThat(logs.list).hasSize(2).allSatisfy(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).startsWith("Watch of lease 'key': its listener failed for ");
        });
    }

    @Test
    void whileAListenerIsCalledOnlyTheNewestStateWaits() {
        List<Runnable> calls = new ArrayList<>();
        Bench.Node slow = bench.start("slow", builder -> builder.callbackExecutor(calls::add));
        slow.leases.watch("key", states::add);
        Lease first = other.acquire("key");
        bench.advance(SECOND);
        first.close();
        bench.advance(SECOND);

        assertThat(calls).hasSize(1);
        calls.get(0).run();

        assertThat(states).containsExactly(free(first));
    }

    @Test
    void anExecutorThatRejectsIsAskedAgain() {
        boolean[] full = {true};
        Bench.Node busy = bench.start(
                "busy",
                builder -> builder.callbackExecutor(task -> {
                    if (full[0]) {
                        throw new IllegalStateException("full");
                    }
                    task.run();
                }));
        busy.leases.watch("key", states::add);
        assertThat(states).isEmpty();

        full[0] = false;
        bench.advance(SECOND);

        assertThat(states).containsExactly(new Free("key", 0));
        assertThat(logs.list.get(0).getFormattedMessage())
                .isEqualTo("Watch of lease 'key' could not call its listener");
    }

    // ---- cost

    @Test
    void theWatchesOfOneKeyShareTheirReads() {
        Lease theirs = other.acquire("key");
        for (int i = 0; i < 50; i++) {
            watch();
        }
        bench.advance(Duration.ofSeconds(10));
        int before = reads();

        bench.advance(Duration.ofSeconds(30));

        assertThat(reads() - before).isBetween(30, 42); // a part of each pause is random
        assertThat(states).hasSize(50).containsOnly(held(theirs, "other"));
    }

    @Test
    void aChangeIsSeenWithinASecond() {
        Lease theirs = other.acquire("key");
        watch();
        bench.advance(Duration.ofMinutes(5));
        theirs.close();

        bench.advance(SECOND);

        assertThat(states).endsWith(free(theirs));
    }

    @Test
    void theLastWatchThatClosesEndsTheReads() {
        LeaseWatch first = watch();
        LeaseWatch second = watch();
        first.close();
        first.close();
        int before = reads();
        bench.advance(SECOND);
        assertThat(reads()).isGreaterThan(before);
        second.close();
        before = reads();

        other.acquire("key");
        bench.advance(Duration.ofMinutes(1));

        assertThat(reads()).isEqualTo(before);
        assertThat(states).containsExactly(new Free("key", 0), new Free("key", 0));
    }

    @Test
    void closingTheManagerEndsItsWatches() {
        watch();
        here.leases.closeAsync();
        int before = reads();

        other.acquire("key");
        bench.advance(Duration.ofMinutes(1));

        assertThat(reads()).isEqualTo(before);
        assertThat(states).hasSize(1);
        assertThatThrownBy(this::watch)
                .isInstanceOf(LeaseException.class)
                .hasMessage("Lease manager is closed, so it does not watch 'key'");
    }

    // ---- bad input

    @Test
    void mistakesNameTheirPlace() {
        assertThatThrownBy(() -> here.leases.watch(" ", states::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Lease key is blank, expected a text with a visible character");
        assertThatThrownBy(() -> here.leases.watch("a#run=b", states::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a#run=b'");
        assertThatThrownBy(() -> here.leases.watch("key", null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Listener is null for a watch of lease key 'key', expected one to call");
        assertThatThrownBy(() -> here.leases.awaitFree("", SECOND))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Lease key is blank, expected a text with a visible character");
        assertThatThrownBy(() -> here.leases.awaitFree("key", SECOND.negated()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout is -1 s for lease key 'key', expected zero or more");
        assertThat(reads()).isZero();
    }
}
