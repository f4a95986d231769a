package io.leasekit.spring.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

class SelfCallsTest {

    private static Set<String> calls(Class<?> type) {
        return SelfCalls.of(type, DistributedLease.class);
    }

    @Test
    void aCallOnThisIsFoundWithItsPlace() {
        assertThat(calls(Simple.class))
                .singleElement()
                .asString()
                .matches(
                        "io\\.leasekit\\.spring\\.check\\.SelfCallsTest\\$Simple\\.outer\\(SelfCallsTest\\.java:\\d+\\) calls"
                                + " 'guarded'");
    }

    @Test
    void aCallOnAnotherObjectOfTheClassIsNone() {
        assertThat(calls(OnOthers.class)).isEmpty();
    }

    @Test
    void callsAreFoundWhereverTheReceiverLiesBelowOtherValues() {
        assertThat(calls(Nested.class))
                .extracting(call -> call.replaceAll(".*Nested\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder(
                        "ternary", "wide", "inSwitch", "inHandler", "assigned", "array", "concatenated");
    }

    @Test
    void callsInLambdasAndMethodReferencesAreFound() {
        assertThat(calls(Lambdas.class)).hasSize(2);
    }

    @Test
    void aMethodWithAnotherObjectOfItsClassIsNotReportedButOneOfAnInterfaceHidesNothing() {
        assertThat(calls(WithOthers.class))
                .extracting(call -> call.replaceAll(".*WithOthers\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder("alone", "run");
    }

    @Test
    void aCallToTheSuperclassesMethodFromItsOverrideIsGuardedAlready() {
        assertThat(calls(Overriding.class)).isEmpty();
    }

    @Test
    void theSuperclassesMethodMayBeGenericOrReturnAnotherType() {
        assertThat(calls(OfText.class)).isEmpty();
        assertThat(calls(OfNumber.class)).isEmpty();
        assertThat(calls(OfInterface.class)).isEmpty();
    }

    @Test
    void aCallToTheSuperclassesGenericMethodFromAnotherMethodIsFound() {
        assertThat(calls(OfTextByOthers.class))
                .extracting(call -> call.replaceAll(".*OfTextByOthers\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder("other", "handle");
    }

    @Test
    void aCallInTheSuperclassAndInADefaultMethodIsFound() {
        assertThat(calls(Sub.class))
                .extracting(call -> call.replaceAll("\\(.*\\)", ""))
                .containsExactlyInAnyOrder(
                        "io.leasekit.spring.check.SelfCallsTest$Base.inBase calls 'hook'",
                        "io.leasekit.spring.check.SelfCallsTest$Hooked.inInterface calls 'hook'");
    }

    @Test
    void aCallInADefaultMethodBehindAnotherInterfaceIsFound() {
        assertThat(calls(OfInheriting.class))
                .extracting(call -> call.replaceAll("\\(.*\\)", ""))
                .containsExactly("io.leasekit.spring.check.SelfCallsTest$Hooked.inInterface calls 'hook'");
    }

    @Test
    void aCallFromAMethodWithTheSameFixedKeyIsGuardedAlready() {
        assertThat(calls(SameKey.class)).isEmpty();
    }

    @Test
    void aCallFromAMethodWithAnotherOrAComputedKeyIsFound() {
        assertThat(calls(OtherKey.class)).hasSize(2);
    }

    @Test
    void aBridgeIsNoCall() {
        assertThat(calls(Bridged.class)).isEmpty();
    }

    @Test
    void otherLambdasAndCallsOfAConfigurerAreNoTasks() {
        assertThat(calls(CallsInConfigurer.class)).hasSize(3);
    }

    @Test
    void aTaskThatGoesPastTheRegistrarIsACallOnThis() {
        assertThat(calls(OnScheduler.class)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TaskByReference.class,
                TaskByLambda.class,
                TaskInALoop.class,
                TaskOfAHelper.class,
                TaskOfAMethod.class,
                TaskBesideOneOfABean.class,
                TaskOfASuperclass.class,
                TaskOfAComposedAnnotation.class,
                TaskOfABeanMethod.class
            })
    void aTaskThatCallsAMethodOnThisIsRefused(Class<?> type) {
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> SelfCalls.warnOf(Set.of(type), DistributedLease.class))
                .withMessageStartingWith("@DistributedLease on '" + type.getName() + ".guarded': ")
                .withMessageMatching(".*\\(SelfCallsTest\\.java:\\d+\\) makes a task of 'this', which is not the bean's"
                        + " proxy, so the method would run without a lease")
                .satisfies(refusal -> assertThat(refusal.fix()).contains("@Scheduled"));
    }

    @Test
    void aTaskThatSpringMakesOfThisIsRefused() {
        assertThatExceptionOfType(InvalidLeaseMethodException.class)
                .isThrownBy(() -> SelfCalls.warnOf(Set.of(TaskOfMethod.class), DistributedLease.class))
                .withMessageMatching(
                        "@DistributedLease on '.*SelfCallsTest\\$TaskOfMethod\\.guarded':"
                                + " .*\\$TaskOfMethod\\.configureTasks\\(SelfCallsTest\\.java:\\d+\\) makes a task of 'this', which is not the bean's proxy, so the method would run without a lease")
                .satisfies(refusal -> assertThat(refusal.fix()).contains("@Scheduled"));
    }

    @Test
    void aTaskOfABeanIsAccepted() {
        SelfCalls.warnOf(Set.of(TasksOfBeans.class), DistributedLease.class);
        assertThat(calls(TasksByReference.class)).isEmpty();
    }

    @Test
    void callsOfTheMethodsOfLeadersAreFound() {
        assertThat(SelfCalls.of(Leader.class, LeaderOnly.class))
                .extracting(call -> call.replaceAll(".*Leader\\.(\\w+)\\(.*", "$1"))
                .containsExactly("guarded");
        assertThat(calls(Leader.class)).isEmpty();
        for (Class<?> type : List.of(LeaderTask.class, LeaderByReference.class)) {
            assertThatExceptionOfType(InvalidLeaseMethodException.class)
                    .isThrownBy(() -> SelfCalls.warnOf(Set.of(type), LeaderOnly.class))
                    .withMessageStartingWith("@LeaderOnly on ");
        }
    }

    static class CallsInConfigurer implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            guarded();
            List.of(1).forEach(i -> guarded());
        }

        @DistributedLease("key")
        public void underTheSameLease(Consumer<Runnable> timer) {
            timer.accept(() -> guarded());
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class OnScheduler {

        void onScheduler(TaskScheduler scheduler) {
            scheduler.schedule(this::guarded, new CronTrigger("0 0 3 * * *"));
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TaskByReference implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(this::guarded, "0 0 3 * * *");
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TaskByLambda implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addFixedDelayTask(() -> guarded("a"), Duration.ofMinutes(1));
        }

        @DistributedLease("key-#{#file}")
        public void guarded(String file) {}
    }

    static class TaskInALoop implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            List.of(1, 2)
                    .forEach(i -> registrar.addFixedDelayTask(
                            () -> {
                                try {
                                    guarded(i);
                                } catch (RuntimeException e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            Duration.ofMinutes(i)));
        }

        @DistributedLease("key")
        public void guarded(int i) {}
    }

    static class TaskOfAHelper implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            add(new CronTask(this::guarded, "0 0 3 * * *"), registrar);
        }

        private static void add(CronTask task, ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(task);
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TaskOfAMethod implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(nightly(), "0 0 3 * * *");
        }

        private Runnable nightly() {
            return this::guarded;
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TaskBesideOneOfABean implements SchedulingConfigurer {

        @Nullable
        TaskBesideOneOfABean self;

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(self::guarded, "0 0 3 * * *");
            registrar.addCronTask(this::guarded, "0 0 4 * * *");
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    abstract static class Registering implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(this::guarded, "0 0 3 * * *");
        }

        abstract void guarded();
    }

    static class TaskOfASuperclass extends Registering {

        @Override
        @DistributedLease("key")
        public void guarded() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease("nightly")
    @interface Nightly {}

    static class TaskOfAComposedAnnotation implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(this::guarded, "0 0 3 * * *");
        }

        @Nightly
        public void guarded() {}
    }

    static class TaskOfABeanMethod {

        SchedulingConfigurer tasks() {
            return registrar -> registrar.addCronTask(() -> guarded(), "0 0 3 * * *");
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TaskOfMethod implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            try {
                Runnable free = new ScheduledMethodRunnable(this, "free");
                registrar.addCronTask(new CronTask(free, "0 0 3 * * *"));
                registrar.addCronTask(new CronTask(new ScheduledMethodRunnable(this, "guarded"), "0 0 3 * * *"));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }

        public void free() {}

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TasksOfBeans {

        @Nullable
        TasksOfBeans self;

        Object own() throws NoSuchMethodException {
            return new ScheduledMethodRunnable(self, "guarded");
        }

        Object found(ApplicationContext context) throws NoSuchMethodException {
            return new ScheduledMethodRunnable(context.getBean("bean"), "guarded");
        }

        Object given(TasksOfBeans bean) throws NoSuchMethodException {
            return new ScheduledMethodRunnable(bean, "guarded");
        }

        Object computed(String name) throws NoSuchMethodException {
            return new ScheduledMethodRunnable(this, name);
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class TasksByReference implements SchedulingConfigurer {

        @Nullable
        TasksByReference self;

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(self::guarded, "0 0 3 * * *");
            registrar.addCronTask(() -> self.guarded(), "0 0 3 * * *");
            registrar.addCronTask(this::free, "0 0 3 * * *");
            TasksByReference proxy = (TasksByReference) AopContext.currentProxy();
            registrar.addCronTask(proxy::guarded, "0 0 3 * * *");
            registrar.addCronTask(() -> proxy.guarded(), "0 0 3 * * *");
            each(this, registrar, TasksByReference::guarded);
        }

        void given(ObjectProvider<TasksByReference> bean, ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(() -> bean.getObject().guarded(), "0 0 3 * * *");
        }

        private static void each(Object known, ScheduledTaskRegistrar registrar, Consumer<TasksByReference> task) {}

        public void free() {}

        @DistributedLease("key")
        public void guarded() {}
    }

    static class LeaderByReference implements SchedulingConfigurer {

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            registrar.addCronTask(this::lead, "0 0 3 * * *");
        }

        @LeaderOnly("key")
        public void lead() {}
    }

    static class Leader {

        @DistributedLease("key")
        public void guarded() {
            lead();
        }

        @LeaderOnly("key")
        public void lead() {}
    }

    static class LeaderTask {

        Object task() throws NoSuchMethodException {
            return new ScheduledMethodRunnable(this, "lead");
        }

        @LeaderOnly("key")
        public void lead() {}
    }

    static class Simple {

        void outer() {
            guarded();
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class OnOthers {

        @Nullable
        OnOthers self;

        void throughItself() {
            self.guarded(true ? 1 : 2);
            of(this).guarded(1);
            new OnOthers().guarded(1);
            (self == null ? of(this) : self).guarded(1);
        }

        static OnOthers of(OnOthers one) {
            one.guarded(1);
            return one;
        }

        @DistributedLease("key")
        public void guarded(int value) {}
    }

    static class Nested {

        int field;
        long[] longs = {1, 2};

        int ternary(boolean first) {
            return 1 + guarded(first ? 1L : longs[1], "a");
        }

        int wide(double a, long b) {
            long c = (long) (a * b) << 3;
            field += (int) (c % 7L);
            return (a > b ? 2 : 3) * guarded(longs[0]++ + b, "b");
        }

        int inSwitch(String text) {
            switch (text) {
                case "a":
                    return 0;
                case "b":
                    return guarded(1L, text);
                default:
                    throw new IllegalArgumentException(text);
            }
        }

        int inHandler() {
            try {
                return Integer.parseInt("1");
            } catch (NumberFormatException | NullPointerException e) {
                return guarded(1L, e.getMessage());
            } finally {
                field++;
            }
        }

        void assigned() {
            longs[field++] = field = guarded(field--, "c");
        }

        int array() {
            int[][] values = new int[2][3];
            Object one = values[0];
            values[0][1] = one instanceof int[] ? 1 : guarded(values[0].length, new String[] {"a"}[0]);
            return values.length;
        }

        String concatenated(Object other) {
            synchronized (this) {
                return "a" + field + other + guarded(3, (String) other);
            }
        }

        @DistributedLease("key")
        public int guarded(long value, @Nullable String text) {
            return 1;
        }
    }

    static class Lambdas {

        Runnable reference() {
            return this::guarded;
        }

        Supplier<String> lambda() {
            return () -> {
                guarded();
                return "";
            };
        }

        Runnable ofAnother(Lambdas other) {
            return other::guarded;
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class WithOthers implements Runnable {

        void both(WithOthers other) {
            other.guarded();
            guarded();
        }

        void alone() {
            WithOthers copy = this;
            copy.guarded();
        }

        @Override
        public void run() {
            Runnable nothing = () -> {};
            nothing.run();
            guarded();
        }

        @DistributedLease("key")
        public void guarded() {}
    }

    static class Base implements Hooked {

        void inBase() {
            hook();
        }

        @Override
        @DistributedLease("base-#{#root.method.name}")
        public void hook() {}
    }

    interface Hooked {

        void hook();

        default void inInterface() {
            hook();
        }
    }

    static class Sub extends Base {}

    interface Inheriting extends Hooked {}

    static class OfInheriting implements Inheriting {

        @Override
        @DistributedLease("hook")
        public void hook() {}
    }

    static class Overriding extends SimpleBase {

        @Override
        public void guarded() {
            super.guarded();
        }
    }

    static class SimpleBase {

        @DistributedLease("key-#{#root.method.name}")
        public void guarded() {}
    }

    static class Generic<T> {

        @DistributedLease("generic-#{#item}")
        public Object handle(T item) {
            return item;
        }

        @DistributedLease("bound-#{#item}")
        public <S extends T> S bound(S item) {
            return item;
        }
    }

    static class OfText extends Generic<String> {

        @Override
        public String handle(String item) {
            return String.valueOf(super.handle(item));
        }

        @Override
        public <S extends String> S bound(S item) {
            return super.bound(item);
        }
    }

    static class OfNumbers<N extends Number> extends Generic<N> {

        @Override
        public Number handle(N item) {
            return (Number) super.handle(item);
        }
    }

    static class OfNumber extends OfNumbers<Integer> {

        @Override
        public Integer handle(Integer item) {
            return (Integer) super.handle(item);
        }
    }

    static class OfTextByOthers extends Generic<String> {

        Object other() {
            return super.handle("other");
        }

        Object handle(String item, int times) {
            return times == 0 ? "" : super.handle(item);
        }
    }

    interface GenericHandler<T> {

        @DistributedLease("generic-#{#p0}")
        default void take(T item) {}
    }

    static class OfInterface implements GenericHandler<String> {

        @Override
        public void take(String item) {
            GenericHandler.super.take(item);
        }
    }

    @DistributedLease("key")
    static class SameKey {

        public void one() {
            two();
        }

        public void two() {}
    }

    static class OtherKey {

        @DistributedLease("one")
        public void one() {
            two("a");
        }

        @DistributedLease("two-#{#id}")
        public void two(String id) {
            if (!id.equals("b")) {
                two("b");
            }
        }
    }

    interface Handles<T> {

        @DistributedLease("key")
        void handle(T value);
    }

    static class Bridged implements Handles<String> {

        @Override
        public void handle(String value) {}
    }
}
