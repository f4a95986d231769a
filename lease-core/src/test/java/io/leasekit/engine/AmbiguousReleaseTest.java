package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.RESENT;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A release without a reply may have been applied, or may still be applied (protocol 5.3, 5.5). */
class AmbiguousReleaseTest {

    private static final Duration RETRIED = Duration.ofMillis(2_100);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");
    private final Lease lease = here.acquire("key");

    @Test
    void whereTheReplyIsLostTheNextAttemptFindsNothingLeftToRelease() {
        here.store.next(RELEASE, REPLY_LOST);

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        assertThat(released).isNotDone();
        bench.advance(RETRIED);

        assertThat(released).isCompleted();
        assertThat(here.store.sent(RELEASE)).hasSize(2);
    }

    @Test
    void theSecondAttemptOfALostReplyFreesNobodyElses() {
        here.store.next(RELEASE, REPLY_LOST);
        lease.releaseAsync();
        Lease others = other.acquire("key");

        bench.advance(RETRIED);

        assertThat(here.store.sent(RELEASE)).hasSize(2);
        bench.assertHeldFor(Duration.ofSeconds(30), others);
    }

    @Test
    void whereTheRequestIsLostTheNextAttemptReleases() {
        here.store.next(RELEASE, LOST);

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        bench.advance(RETRIED);

        assertThat(released).isCompleted();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aCopyThatAnSdkSendsAgainIsDone() {
        here.store.next(RELEASE, RESENT);

        assertThat(lease.releaseAsync().toCompletableFuture()).isCompleted();

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aLateDuplicateOfAReleaseFreesNobodyElses() {
        lease.close();
        Lease others = other.acquire("key");

        here.store.last(RELEASE).apply();

        bench.assertHeldFor(Duration.ofSeconds(30), others);
    }

    @Test
    void aLateDuplicateOfARenewalBringsNoReleasedLeaseBack() {
        bench.advance(Bench.TTL);
        lease.close();

        assertThat(here.store.last(RENEW).apply()).isInstanceOf(StoreReply.Refused.class);

        assertThat(bench.isHeld("key")).isFalse();
    }
}
