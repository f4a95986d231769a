package io.leasekit.spring.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.DistributedLease;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SelfCallsTest {

    @Test
    void aCallOnThisIsFoundWithItsPlace() {
        assertThat(SelfCalls.of(Simple.class))
                .singleElement()
                .asString()
                .matches(
                        "io\\.leasekit\\.spring\\.check\\.SelfCallsTest\\$Simple\\.outer\\(SelfCallsTest\\.java:\\d+\\) calls"
                                + " 'guarded'");
    }

    @Test
    void aCallOnAnotherObjectOfTheClassIsNone() {
        assertThat(SelfCalls.of(OnOthers.class)).isEmpty();
    }

    @Test
    void callsAreFoundWhereverTheReceiverLiesBelowOtherValues() {
        assertThat(SelfCalls.of(Nested.class))
                .extracting(call -> call.replaceAll(".*Nested\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder(
                        "ternary", "wide", "inSwitch", "inHandler", "assigned", "array", "concatenated");
    }

    @Test
    void callsInLambdasAndMethodReferencesAreFound() {
        assertThat(SelfCalls.of(Lambdas.class)).hasSize(2);
    }

    @Test
    void aMethodWithAnotherObjectOfItsClassIsNotReportedButOneOfAnInterfaceHidesNothing() {
        assertThat(SelfCalls.of(WithOthers.class))
                .extracting(call -> call.replaceAll(".*WithOthers\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder("alone", "run");
    }

    @Test
    void aCallToTheSuperclassesMethodFromItsOverrideIsGuardedAlready() {
        assertThat(SelfCalls.of(Overriding.class)).isEmpty();
    }

    @Test
    void theSuperclassesMethodMayBeGenericOrReturnAnotherType() {
        assertThat(SelfCalls.of(OfText.class)).isEmpty();
        assertThat(SelfCalls.of(OfNumber.class)).isEmpty();
        assertThat(SelfCalls.of(OfInterface.class)).isEmpty();
    }

    @Test
    void aCallToTheSuperclassesGenericMethodFromAnotherMethodIsFound() {
        assertThat(SelfCalls.of(OfTextByOthers.class))
                .extracting(call -> call.replaceAll(".*OfTextByOthers\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder("other", "handle");
    }

    @Test
    void aCallInTheSuperclassAndInADefaultMethodIsFound() {
        assertThat(SelfCalls.of(Sub.class))
                .extracting(call -> call.replaceAll("\\(.*\\)", ""))
                .containsExactlyInAnyOrder(
                        "io.leasekit.spring.check.SelfCallsTest$Base.inBase calls 'hook'",
                        "io.leasekit.spring.check.SelfCallsTest$Hooked.inInterface calls 'hook'");
    }

    @Test
    void aCallInADefaultMethodBehindAnotherInterfaceIsFound() {
        assertThat(SelfCalls.of(OfInheriting.class))
                .extracting(call -> call.replaceAll("\\(.*\\)", ""))
                .containsExactly("io.leasekit.spring.check.SelfCallsTest$Hooked.inInterface calls 'hook'");
    }

    @Test
    void aCallFromAMethodWithTheSameFixedKeyIsGuardedAlready() {
        assertThat(SelfCalls.of(SameKey.class)).isEmpty();
    }

    @Test
    void aCallFromAMethodWithAnotherOrAComputedKeyIsFound() {
        assertThat(SelfCalls.of(OtherKey.class)).hasSize(2);
    }

    @Test
    void aBridgeIsNoCall() {
        assertThat(SelfCalls.of(Bridged.class)).isEmpty();
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
