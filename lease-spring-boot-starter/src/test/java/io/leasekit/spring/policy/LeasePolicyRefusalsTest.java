package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.OnUnavailable;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.PropertyPlaceholderHelper;

/** Annotated methods that cannot be called under a lease. */
class LeasePolicyRefusalsTest {

    private static final String TYPE = LeasePolicyRefusalsTest.class.getName() + "$";

    private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
    private final LeasePolicies policies = new LeasePolicies(beanFactory, () -> "");

    LeasePolicyRefusalsTest() {
        Map<String, String> properties = Map.of();
        beanFactory.addEmbeddedValueResolver(text ->
                new PropertyPlaceholderHelper("${", "}", ":", null, false).replacePlaceholders(text, properties::get));
    }

    @Test
    void severalAnnotationsOfDifferentPoliciesAreRefused() {
        assertInvalid(
                "differentTtls",
                "its annotations differ in 'ttl': '5m' and '', but they form one lease",
                "Set 'ttl' to the same value in all of them.");
        assertInvalid(
                "differentEnums",
                "its annotations differ in 'onUnavailable': 'AUTO' and 'SKIP', but they form one lease",
                "Set 'onUnavailable' to the same value in all of them.");
        assertInvalid(
                "differentManagers",
                "its annotations differ in 'manager': '' and 'other', but they form one lease",
                "Set 'manager' to the same value in all of them.");
    }

    @Test
    void aFixedKeyThatIsNamedTwiceIsRefused() {
        assertInvalid("sameKeys", "two of its annotations have the key 'same'", "Remove one of them.");
        assertInvalid(
                "sameDefaults",
                "two of its annotations have the key '" + TYPE + "Bad.sameDefaults'",
                "Remove one of them.");
    }

    @Test
    void whatIsNoDurationIsRefused() {
        assertInvalid(
                "noDuration",
                "ttl is 'soon', expected a duration",
                "Use the format of '500ms', '10s', '5m' or 'PT1H'.");
    }

    @Test
    void aDurationWithoutItsUnitIsRefused() {
        assertInvalid(
                "noUnit",
                "ttl is '30', which would be 30 ms: is the unit missing?",
                "Write '30s' for seconds, or '30ms'.");
    }

    @Test
    void anUnknownPlaceholderInAKeyIsFixedByTheProperty() {
        assertInvalid(
                "unknownPlaceholderInKey",
                "key 'order-${unknown}' cannot be read: Could not resolve placeholder 'unknown' in value \"order-${unknown}\"",
                "Set the property. Or write '#{#name}' for a parameter of the method.");
    }

    @Test
    void aDurationOutOfRangeIsRefused() {
        assertInvalid(
                "shortTtl", "ttl is 1 s for lease key 'short-ttl', expected between 2 s and 365 d", "Correct 'ttl'.");
    }

    @Test
    void anUnknownPlaceholderIsRefused() {
        assertInvalid(
                "unknownPlaceholder",
                "waitFor cannot be read: Could not resolve placeholder 'unknown' in value \"${unknown}\"",
                "Set the property.");
    }

    @Test
    void aKeyThatCannotBeParsedIsRefused() {
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policy(Bad.class, "badKey"))
                .withMessageStartingWith(
                        "@DistributedLease on '" + TYPE + "Bad.badKey': key 'order-#{#order' cannot be read: ");
    }

    @Test
    void aPrimitiveResultCannotBeSkipped() {
        assertInvalid(
                "primitive",
                "a skipped call has no result, but the method returns 'int'",
                "Return an object, or set 'onUnavailable' to THROW.");
        assertInvalid(
                "primitiveWithSlots",
                "a skipped call has no result, but the method returns 'int'",
                "Return an object, or set 'once' to NEVER.");
        assertInvalid(
                "primitiveOnStoreFailure",
                "a skipped call has no result, but the method returns 'int'",
                "Return an object, or set 'onStoreFailure' to THROW.");
    }

    @Test
    void aBlankKeyIsRefusedAtStartUp() {
        assertInvalid(
                "blank",
                "key ' ' cannot be read: Lease key is blank, expected a text with a visible character",
                "Correct the key.");
    }

    @Test
    void anUnknownParameterIsRefused() {
        assertInvalid(
                "unknownParameter",
                "key 'order-#{#oder}' cannot be read: it uses the variable '#oder', which does not exist",
                "Correct the name. Known names are '#order', '#p0', '#a0', 'target', 'method' and 'targetClass'.");
    }

    @Test
    void aScheduledMethodWithParametersIsRefused() {
        assertInvalid(
                "scheduledWithLease",
                "a method with @Scheduled must not have parameters, not even one for the lease",
                "Remove the parameters. 'LeaseContext.current()' returns the lease.");
    }

    @Test
    void severalLeaseParametersAreRefused() {
        assertInvalid("twoLeases", "it has 2 parameters of type Lease, expected at most one", "Keep one of them.");
    }

    @Test
    void progressThatCannotBeSavedIsRefused() {
        assertInvalid(
                "scheduledWithProgress",
                "a method with @Scheduled must not have parameters, not even one for the lease",
                "Remove the parameter, and set 'resumable = true'. 'LeaseContext.current()' returns the lease with"
                        + " its progress.");
        assertInvalid(
                "twoProgresses", "it has 2 parameters of type Progress, expected at most one", "Keep one of them.");
        assertInvalid(
                "progressOfSeveralKeys",
                "it has a parameter of type Progress, but its lease has several keys, expected one, whose item has the"
                        + " progress",
                "Keep one annotation, or remove the parameter.");
        assertInvalid(
                "progressAndPermits",
                "it has a parameter of type Progress, but permits is 3, expected none: the next call may get another"
                        + " permit, whose item lacks the progress",
                "Remove 'permits', or the parameter.");
        assertInvalid(
                "progressOfRunsInAnyOrder",
                "it has a parameter of type Progress, but the names of its runs may have any order, so each run has an item"
                        + " of its own, which has no progress",
                "Set 'onceOrder' to GROWING, and let the names grow.");
        assertThat(policy(Untold.class, "progressOfGrowingRuns")).isNotNull();
    }

    @Test
    void aResumableLeaseIsRefusedForTheSameReasons() {
        assertInvalid(
                "resumableOfSeveralKeys",
                "resumable is set, but its lease has several keys, expected one, whose item has the progress",
                "Keep one annotation, or remove 'resumable'.");
        assertInvalid(
                "resumableInOneAnnotation",
                "its annotations differ in 'resumable': 'true' and 'false', but they form one lease",
                "Set 'resumable' to the same value in all of them.");
        assertInvalid(
                "resumableAndPermits",
                "resumable is set, but permits is 3, expected none: the next call may get another permit, whose item lacks"
                        + " the progress",
                "Remove 'permits', or 'resumable'.");
        assertInvalid(
                "resumableRunsInAnyOrder",
                "resumable is set, but the names of its runs may have any order, so each run has an item of its own, which"
                        + " has no progress",
                "Set 'onceOrder' to GROWING, and let the names grow.");
        assertThat(policy(Untold.class, "resumableSlots").terms().apply(LeaseRequest.of("key")))
                .extracting(LeaseRequest::isResumable)
                .isEqualTo(true);
    }

    @Test
    void progressWithoutTheTypeOfItsValuesIsRefused() {
        String problem =
                "it has a parameter of type Progress without the type of its values, expected one such as Progress<String>";
        assertInvalid("rawProgress", problem, "Name the type of the values.");
        assertInvalid("unknownProgress", problem, "Name the type of the values.");
        assertInvalid("progressOfAnyType", problem, "Name the type of the values.");
    }

    @Test
    void severalCodecsForTheProgressAreRefused() {
        beanFactory.registerSingleton("one", new Codec());
        beanFactory.registerSingleton("two", new Codec());

        assertInvalid(
                "progressOfUnits",
                "it has a parameter of type Progress<java.util.concurrent.TimeUnit>, and 2 beans of type"
                        + " ProgressCodec<java.util.concurrent.TimeUnit>, expected one",
                "Remove the others, or make one of them @Primary.");
    }

    @Test
    void aStageOfAnotherTypeIsRefusedUnlessALossIsNotTold() {
        assertInvalid(
                "otherStage",
                "a '" + TYPE + "OwnFuture' cannot report the loss of the lease",
                "Return a CompletableFuture or CompletionStage, or set 'onLost' to NOTIFY.");
        assertThat(policy(Untold.class, "otherStage")).isNotNull();
    }

    @Test
    void aHandlerThatIsNoneIsRefused() {
        beanFactory.registerSingleton("text", "");

        assertInvalid(
                "noHandler",
                "unavailableHandler is 'absent', but no bean has this name",
                "Name a bean of type LeaseUnavailableHandler.");
        assertInvalid(
                "wrongHandler",
                "unavailableHandler is 'text', but that bean is not a LeaseUnavailableHandler",
                "Name a bean of type LeaseUnavailableHandler.");
        assertInvalid("handlerAndSkip", "both unavailableHandler and onUnavailable SKIP are set", "Set one of them.");
    }

    @Test
    void runsThatCannotWorkAreRefused() {
        assertInvalid(
                "onceAndHold",
                "once is set together with holdAtLeast or cooldown, of which a run that is done needs neither",
                "Remove 'holdAtLeast' and 'cooldown'. They are not needed, because a run that is done does not run again.");
        assertInvalid(
                "onFailureOfNoRun",
                "onFailure is set, but no call belongs to a run",
                "Remove 'onFailure', or name the run with 'once'.");
        assertInvalid(
                "neverAndOnFailure",
                "onFailure is set, but no call belongs to a run",
                "Remove 'onFailure', or name the run with 'once'.");
        assertInvalid(
                "blankRun",
                "once is ' ' (1 bytes of UTF-8) for lease key '" + TYPE
                        + "Bad.blankRun', expected a text with a visible" + " character and at most 1024 bytes",
                "Correct 'once'.");
        assertInvalid(
                "unknownPlaceholderOfRun",
                "once cannot be read: Could not resolve placeholder 'unknown' in value \"${unknown}\"",
                "Set the property.");
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policy(Bad.class, "unknownParameterOfRun"))
                .withMessageContaining(": once '#{#dat}' cannot be read: ");
    }

    @Test
    void permitsThatCannotWorkAreRefused() {
        assertInvalid(
                "noPermits",
                "permits is 0 for lease key '" + TYPE + "Bad.noPermits', expected from 1 to 100",
                "Correct 'permits'.");
        assertInvalid(
                "manyPermits",
                "permits is 101 for lease key '" + TYPE + "Bad.manyPermits', expected from 1 to 100",
                "Correct 'permits'.");
        assertInvalid(
                "textOfPermits", "permits is 'three', expected a whole number", "Write digits only, such as '3'.");
        assertInvalid(
                "unknownPlaceholderOfPermits",
                "permits cannot be read: Could not resolve placeholder 'unknown' in value \"${unknown}\"",
                "Set the property.");
        assertInvalid(
                "permitsAndOnce",
                "once is set together with permits, but only one call executes a run",
                "Remove 'once' or 'permits'.");
        assertInvalid(
                "permitsAndHold",
                "Request of 3 permits for lease key '" + TYPE
                        + "Bad.permitsAndHold' has 'holdAtLeast', expected no hold: it would take a"
                        + " permit out of use",
                "Correct 'permits'.");
        assertInvalid(
                "permitsOfSeveralKeys",
                "permits is set, but its lease has several keys",
                "Keep one annotation, or remove 'permits'.");
        assertInvalid(
                "permitsPerNodeAlone",
                "permitsPerNode is set without permits",
                "Set 'permits' to the number for all processes.");
        assertInvalid(
                "morePerNode",
                "permitsPerNode is 4 for lease key '" + TYPE + "Bad.morePerNode', expected at most the 3 permits",
                "Correct 'permitsPerNode'.");
    }

    @Test
    void aKeyOfASlotIsRefused() {
        assertInvalid(
                "keyOfSlot",
                "key 'job#permit=1' cannot be read: Lease key 'job#permit=1' contains '#permit=', which is reserved for"
                        + " the items of permits",
                "Correct the key.");
    }

    @Test
    void aKeyOfARunItemIsRefused() {
        assertInvalid(
                "keyOfRunItem",
                "key 'job#run=1' cannot be read: Lease key 'job#run=1' contains '#run=', which is reserved for the"
                        + " items of runs",
                "Correct the key.");
    }

    @ParameterizedTest
    @CsvSource({
        "caughtUpByName, once names its runs; which have no slots",
        "caughtUpNeverOnce, once is NEVER; so it has no slots",
        "caughtUpWithPermits, a method with permits has no slots",
        "caughtUpAtARate, its firings have no slots",
        "caughtUpEachSecond, its firings have no slots",
        "caughtUpWithTwoKeys, its lease has several keys",
        "caughtUpWithVariable, its key has an expression",
        "caughtUpUnscheduled, the method has no @Scheduled",
    })
    void aCatchUpWithoutSlotsOfOneKeyIsRefused(String method, String problem) {
        assertInvalid(
                method,
                "catchUp is set, but " + problem.replace(';', ','),
                "Remove 'catchUp'. It needs @Scheduled with a cron expression whose times are at least 10 s apart,"
                        + " no name in 'once', no permits, and one key without an expression.");
    }

    @Test
    void aNegativeCatchUpIsRefused() {
        assertInvalid("caughtUpNegative", "catchUp is -1h, expected zero or more", "Correct 'catchUp'.");
    }

    /** An application may switch a job off by a property, and set the duration by another one. */
    @Test
    void aCatchUpMayBeSwitchedOff() {
        assertThat(policy(Caught.class, "hourly").once().catchUp()).isEqualTo(Duration.ofHours(2));
        assertThat(policy(Caught.class, "switchedOff").once().catchUp()).isEqualTo(Duration.ofHours(2));
        assertThat(policy(Caught.class, "zero").once().catchUp()).isNull();
        assertThat(policy(Caught.class, "blank").once().catchUp()).isNull();
    }

    static class Caught {
        @Scheduled(cron = "@hourly")
        @DistributedLease(catchUp = "2h")
        public void hourly() {}

        @Scheduled(cron = "${cron:-}")
        @DistributedLease(catchUp = "2h")
        public void switchedOff() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(key = "zero-#{target}", catchUp = "0")
        public void zero() {}

        @DistributedLease(catchUp = "${catch-up:}")
        public void blank() {}
    }

    @Test
    void aClassWithOneOtherMethodCannotCatchUp() {
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policies.allOf(CaughtClass.class))
                .withMessageContaining("CaughtClass.other': catchUp is set, but the method has no @Scheduled");
    }

    @DistributedLease(catchUp = "2h")
    static class CaughtClass {
        @Scheduled(cron = "@hourly")
        public void run() {}

        public void other() {}
    }

    private void assertInvalid(String method, String problem, String fix) {
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> policy(Bad.class, method))
                .withMessage("@DistributedLease on '" + TYPE + "Bad." + method + "': " + problem)
                .extracting(InvalidLeaseMethodException::fix)
                .isEqualTo(fix);
    }

    private LeasePolicy policy(Class<?> type, String name) {
        Method found = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return policies.of(found, type);
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class Bad {
        @Scheduled(cron = "@hourly")
        @DistributedLease(once = "v1", catchUp = "2h")
        public void caughtUpByName() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(once = DistributedLease.NEVER, catchUp = "2h")
        public void caughtUpNeverOnce() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(permits = "2", catchUp = "2h")
        public void caughtUpWithPermits() {}

        @Scheduled(fixedRate = 60_000)
        @DistributedLease(catchUp = "2h")
        public void caughtUpAtARate() {}

        @Scheduled(cron = "* * * * * *")
        @DistributedLease(catchUp = "2h")
        public void caughtUpEachSecond() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(key = "one", catchUp = "2h")
        @DistributedLease(key = "two", catchUp = "2h")
        public void caughtUpWithTwoKeys() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(key = "report-#{target.hashCode()}", catchUp = "2h")
        public void caughtUpWithVariable() {}

        @DistributedLease(catchUp = "2h")
        public void caughtUpUnscheduled() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(catchUp = "-1h")
        public void caughtUpNegative() {}

        @DistributedLease(key = "one", ttl = "5m")
        @DistributedLease("two")
        public void differentTtls() {}

        @DistributedLease("one")
        @DistributedLease(key = "two", onUnavailable = OnUnavailable.SKIP)
        public void differentEnums() {}

        @DistributedLease("one")
        @DistributedLease(key = "two", manager = "other")
        public void differentManagers() {}

        @DistributedLease("same")
        @DistributedLease("same")
        public void sameKeys() {}

        @DistributedLease
        @DistributedLease
        public void sameDefaults() {}

        @DistributedLease(key = "job#run=1")
        public void keyOfRunItem() {}

        @DistributedLease(key = "job#permit=1")
        public void keyOfSlot() {}

        @DistributedLease(permits = "0")
        public void noPermits() {}

        @DistributedLease(permits = "101")
        public void manyPermits() {}

        @DistributedLease(permits = "three")
        public void textOfPermits() {}

        @DistributedLease(permits = "${unknown}")
        public void unknownPlaceholderOfPermits() {}

        @DistributedLease(permits = "3", once = "run")
        public void permitsAndOnce() {}

        @DistributedLease(permits = "3", holdAtLeast = "1m")
        public void permitsAndHold() {}

        @DistributedLease(key = "one", permits = "3")
        @DistributedLease(key = "two", permits = "3")
        public void permitsOfSeveralKeys() {}

        @DistributedLease(permitsPerNode = "3")
        public void permitsPerNodeAlone() {}

        @DistributedLease(permits = "3", permitsPerNode = "4")
        public void morePerNode() {}

        @DistributedLease(once = "run", onceOrder = OnceOrder.GROWING, cooldown = "1m")
        public void onceAndHold() {}

        @DistributedLease(onFailure = OnFailure.RETRY)
        public void onFailureOfNoRun() {}

        @Scheduled(cron = "@hourly")
        @DistributedLease(once = DistributedLease.NEVER, onFailure = OnFailure.RETRY)
        public void neverAndOnFailure() {}

        @DistributedLease(once = " ", onceOrder = OnceOrder.GROWING)
        public void blankRun() {}

        @DistributedLease(once = "${unknown}", onceOrder = OnceOrder.GROWING)
        public void unknownPlaceholderOfRun() {}

        @DistributedLease(once = "#{#dat}", onceOrder = OnceOrder.GROWING)
        public void unknownParameterOfRun(String date) {}

        @DistributedLease(ttl = "30")
        public void noUnit() {}

        @DistributedLease("order-${unknown}")
        public void unknownPlaceholderInKey() {}

        @DistributedLease(" ")
        public void blank() {}

        @DistributedLease("order-#{#oder}")
        public void unknownParameter(int order) {}

        @DistributedLease
        @Scheduled(fixedDelay = 1000)
        public void scheduledWithLease(Lease lease) {}

        @DistributedLease
        public void twoLeases(Lease one, Lease two) {}

        @DistributedLease
        @Scheduled(cron = "@hourly")
        public void scheduledWithProgress(Progress<String> progress) {}

        @DistributedLease
        public void twoProgresses(Progress<String> one, Progress<String> two) {}

        @DistributedLease("one")
        @DistributedLease("two")
        public void progressOfSeveralKeys(Progress<String> progress) {}

        @DistributedLease(permits = "3")
        public void progressAndPermits(Progress<String> progress) {}

        @DistributedLease(once = "run")
        public void progressOfRunsInAnyOrder(Progress<String> progress) {}

        @DistributedLease(key = "one", resumable = true)
        @DistributedLease(key = "two", resumable = true)
        public void resumableOfSeveralKeys() {}

        @DistributedLease(key = "one", resumable = true)
        @DistributedLease("two")
        public void resumableInOneAnnotation() {}

        @DistributedLease(permits = "3", resumable = true)
        public void resumableAndPermits() {}

        @DistributedLease(once = "run", resumable = true)
        public void resumableRunsInAnyOrder() {}

        @DistributedLease
        @SuppressWarnings("rawtypes")
        public void rawProgress(Progress progress) {}

        @DistributedLease
        public void unknownProgress(Progress<?> progress) {}

        @DistributedLease
        public <T> void progressOfAnyType(Progress<T> progress) {}

        @DistributedLease
        public void progressOfUnits(Progress<TimeUnit> progress) {}

        @DistributedLease
        public OwnFuture otherStage() {
            return new OwnFuture();
        }

        @DistributedLease(unavailableHandler = "absent")
        public void noHandler() {}

        @DistributedLease(unavailableHandler = "text")
        public void wrongHandler() {}

        @DistributedLease(unavailableHandler = "text", onUnavailable = OnUnavailable.SKIP)
        public void handlerAndSkip() {}

        @DistributedLease(ttl = "soon")
        public void noDuration() {}

        @DistributedLease(key = "short-ttl", ttl = "1s")
        public void shortTtl() {}

        @DistributedLease(waitFor = "${unknown}")
        public void unknownPlaceholder() {}

        @DistributedLease("order-#{#order")
        public void badKey() {}

        @DistributedLease(onUnavailable = OnUnavailable.SKIP)
        public int primitive() {
            return 1;
        }

        @Scheduled(cron = "@hourly")
        @DistributedLease(onUnavailable = OnUnavailable.THROW)
        public int primitiveWithSlots() {
            return 1;
        }

        @DistributedLease(onStoreFailure = OnStoreFailure.SKIP)
        public int primitiveOnStoreFailure() {
            return 1;
        }
    }

    static final class Codec implements ProgressCodec<TimeUnit> {
        @Override
        public byte[] encode(TimeUnit value) {
            return new byte[] {(byte) value.ordinal()};
        }

        @Override
        public TimeUnit decode(byte[] data) {
            return TimeUnit.values()[data[0]];
        }
    }

    static class Untold {
        @Scheduled(cron = "0 0 * * * *")
        @DistributedLease(resumable = true)
        public void resumableSlots() {}

        @DistributedLease(once = "#{#day}", onceOrder = OnceOrder.GROWING)
        public void progressOfGrowingRuns(String day, Progress<String> progress) {}

        @DistributedLease(onLost = OnLost.NOTIFY)
        public OwnFuture otherStage() {
            return new OwnFuture();
        }
    }
}
