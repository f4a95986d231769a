package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.Lease;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Methods with several annotations: one lease of all their keys. */
class SeveralKeysTest {

    private final RecordingStore store = new RecordingStore();
    private final LeasedBeans beans = new LeasedBeans(store);
    private final Accounts accounts = beans.advise(new Accounts());

    @AfterEach
    void close() {
        beans.close();
    }

    @Test
    void bothKeysAreAcquiredAndReleasedByOneRequestEach() {
        accounts.transfer("b", "a", () -> {
            assertThat(beans.isFree("account-a")).isFalse();
            assertThat(beans.isFree("account-b")).isFalse();
            store.requests.clear();
        });

        assertThat(store.requests).containsExactly("release account-a+account-b");
        assertThat(beans.isFree("account-a")).isTrue();
        assertThat(beans.isFree("account-b")).isTrue();
        store.requests.clear();
        accounts.transfer("d", "c", () -> {}); // keys whose tokens no other call has just raised
        assertThat(store.requests).containsExactly("acquire account-c+account-d", "release account-c+account-d");
    }

    @Test
    void theMethodIsGivenTheLeaseOfAllKeys() {
        accounts.transfer(
                "a",
                "b",
                () -> assertThat(LeaseContext.current().lease().keys()).containsExactly("account-a", "account-b"));
    }

    @Test
    void aCallIsRefusedWhereAnotherHoldsOneOfTheKeysAndTakesTheOtherNot() {
        try (Lease held = beans.other.tryAcquire("account-b").orElseThrow()) {
            assertThatExceptionOfType(LeaseUnavailableException.class)
                    .isThrownBy(() -> accounts.transfer("a", "b", SeveralKeysTest::unreached))
                    .withMessageStartingWith("Lease 'account-b' of 'account-a', 'account-b' is held by owner 'other'");
            assertThat(held.isValid()).isTrue();
            assertThat(beans.isFree("account-a")).isTrue();
        }
    }

    @Test
    void aCallIsSkippedWhereAnotherHoldsOneOfTheKeys() {
        List<SkippedCall> skipped = new ArrayList<>();
        beans.beanFactory.registerSingleton("listener", (SkippedCallListener) skipped::add);
        try (Lease held = beans.other.tryAcquire("two").orElseThrow()) {
            accounts.skipping();
        }

        assertThat(skipped).singleElement().extracting(SkippedCall::reason).isEqualTo(SkippedCall.Reason.UNAVAILABLE);
    }

    @Test
    void aHandlerIsToldTheKeyThatIsHeld() {
        List<String> handled = new ArrayList<>();
        beans.beanFactory.registerSingleton("handler", (LeaseUnavailableHandler) call -> {
            handled.add(call.key());
            return null;
        });
        try (Lease held = beans.other.tryAcquire("two").orElseThrow()) {
            accounts.handled();
        }

        assertThat(handled).containsExactly("two");
    }

    @Test
    void aCallForOneOfTheKeysJoins() {
        accounts.transfer("a", "b", () -> {
            Lease outer = LeaseContext.current().lease();
            accounts.audit("b", () -> assertThat(LeaseContext.current().lease()).isSameAs(outer));
            assertThat(outer.isValid()).isTrue();
        });
    }

    @Test
    void aCallForTheSameKeysInAnotherOrderJoins() {
        accounts.transfer("a", "b", () -> {
            Lease outer = LeaseContext.current().lease();
            accounts.transfer(
                    "b", "a", () -> assertThat(LeaseContext.current().lease()).isSameAs(outer));
        });
    }

    @Test
    void aCallForAnotherKeyBesideOneThatItsThreadHoldsFailsAtOnce() {
        accounts.audit(
                "a",
                () -> assertThatIllegalStateException()
                        .isThrownBy(() -> accounts.transfer("b", "a", SeveralKeysTest::unreached))
                        .withMessage(
                                "Call needs the lease of 2 keys, but its thread already holds 'account-a' without the others"
                                        + " and would wait for itself"));
    }

    @Test
    void keysThatTurnOutToBeTheSameAreAnError() {
        assertThatIllegalStateException()
                .isThrownBy(() -> accounts.transfer("a", "a", SeveralKeysTest::unreached))
                .withMessage("A lease key of '" + Accounts.class.getName()
                        + ".transfer' is invalid: Lease key 'account-a' is named twice, expected each key once");
    }

    private static void unreached() {
        throw new AssertionError("The body ran");
    }

    static class Accounts {

        @DistributedLease("account-#{#from}")
        @DistributedLease("account-#{#to}")
        public void transfer(String from, String to, Runnable body) {
            body.run();
        }

        @DistributedLease("account-#{#account}")
        public void audit(String account, Runnable body) {
            body.run();
        }

        @DistributedLease(key = "one", onUnavailable = OnUnavailable.SKIP)
        @DistributedLease(key = "two", onUnavailable = OnUnavailable.SKIP)
        public void skipping() {
            unreached();
        }

        @DistributedLease(key = "one", unavailableHandler = "handler")
        @DistributedLease(key = "two", unavailableHandler = "handler")
        public void handled() {
            unreached();
        }
    }
}
