package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasekit.Lease;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Methods with several annotations: one lease of all their keys. */
@SpringBootTest
@AutoConfigureTestLeases
class SeveralKeysTest {

    @Autowired
    private TestLeases leases;

    @Autowired
    private Accounts accounts;

    @Autowired
    private Requests requests;

    @Autowired
    private Listeners listeners;

    @BeforeEach
    void clear() {
        requests.sent.clear();
        listeners.skipped.clear();
        listeners.handled.clear();
    }

    @Test
    void bothKeysAreAcquiredAndReleasedByOneRequestEach() {
        accounts.transfer("b", "a", () -> {
            assertThat(leases).holds("account-a").holds("account-b");
            requests.sent.clear();
        });

        assertThat(requests.sent).containsExactly(Operation.RELEASE);
        assertThat(leases).isFree("account-a").isFree("account-b");
        requests.sent.clear();
        accounts.transfer("d", "c", () -> assertThat(leases).holds("account-c").holds("account-d"));
        assertThat(leases).isFree("account-c").isFree("account-d");
        assertThat(requests.sent).containsExactly(Operation.ACQUIRE, Operation.RELEASE);
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
        Lease held = leases.node("other").hold("account-b");

        assertThatExceptionOfType(LeaseUnavailableException.class)
                .isThrownBy(() -> accounts.transfer("a", "b", SeveralKeysTest::unreached))
                .withMessageStartingWith("Lease 'account-b' of 'account-a', 'account-b' is held by owner 'other'");
        assertThat(held.isValid()).isTrue();
        assertThat(leases).isFree("account-a");
    }

    @Test
    void aCallIsSkippedWhereAnotherHoldsOneOfTheKeys() {
        leases.node("other").hold("two");

        accounts.skipping();

        assertThat(listeners.skipped)
                .singleElement()
                .extracting(SkippedCall::reason)
                .isEqualTo(SkippedCall.Reason.UNAVAILABLE);
    }

    @Test
    void aHandlerIsToldTheKeyThatIsHeld() {
        leases.node("other").hold("two");

        accounts.handled();

        assertThat(listeners.handled).containsExactly("two");
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

    static class Listeners {

        private final List<SkippedCall> skipped = new ArrayList<>();
        private final List<String> handled = new ArrayList<>();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Accounts.class, Requests.class, Listeners.class})
    static class Application {

        @Bean
        SkippedCallListener listener(Listeners listeners) {
            return listeners.skipped::add;
        }

        @Bean
        LeaseUnavailableHandler handler(Listeners listeners) {
            return call -> {
                listeners.handled.add(call.key());
                return null;
            };
        }
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
