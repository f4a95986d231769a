package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.leasekit.LeaseRequest;
import io.leasekit.fuzz.Draws;
import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.PropertyPlaceholderHelper;

/** Texts of keys: each is a key, or an error at the start or of the call that names the method. */
class KeysFuzzTest {

    @Test
    @Tag("each-build")
    void theSameTextsInEachBuild() {
        Draws.deterministic(2_000, Target::check);
    }

    @FuzzTest
    void aTextIsAKeyOrAnErrorThatNamesTheMethod(byte[] data) {
        Target.check(data);
    }

    /** Apart from the test: see {@link Draws}. */
    private static final class Target {

        private static final List<String> PARTS = List.of(
                "#{",
                "}",
                "#{#order.id}",
                "#{#tenant}",
                "#{#order.id / ",
                "#{#order.id % ",
                "#{#order.customer.substring(",
                "#{#tenant matches ",
                "#{#tenant[",
                "#{#p1}",
                "${region}",
                "${missing}",
                "${missing:eu}",
                "${",
                "\\",
                "#order",
                "#tenant",
                ".id",
                ".customer",
                ".",
                "?.",
                "[",
                "]",
                "{",
                ":",
                "(",
                ")",
                "'",
                "''",
                "\"",
                "target",
                "method.name",
                "targetClass",
                "@tenants",
                ".current",
                "#this",
                "#root",
                "?[",
                "![",
                "^[",
                "$[",
                "?:",
                " ? ",
                " + ",
                " - ",
                " * ",
                " / ",
                " % ",
                " ^ ",
                "!",
                " == ",
                " > ",
                " and ",
                " or ",
                " not ",
                " matches ",
                " between ",
                " instanceof ",
                ", ",
                "0",
                "1",
                "7L",
                "0x",
                "1e9",
                "1.5f",
                "null",
                "true",
                "-1",
                "2147483648",
                "order-",
                "ü",
                "#run=",
                "~",
                "&",
                "|",
                "`",
                "\u0000");

        /** Expressions with these could run any code of the class path. */
        private static final List<String> NOT_EVALUATED =
                List.of("T(", "T (", "new ", "class", "Class", "wait", "notify");

        /** An order. */
        public record Order(long id, String customer) {}

        /** The bean that has the method. */
        public static class Orders {
            public void process(Order order, String tenant) {}
        }

        /** A bean that keys may name. */
        public record Tenants(String current) {}

        private static final Method METHOD = Arrays.stream(Orders.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("process"))
                .findFirst()
                .orElseThrow();
        private static final DefaultListableBeanFactory BEANS = beans();

        private static DefaultListableBeanFactory beans() {
            DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
            Map<String, String> properties = Map.of("region", "eu");
            beans.addEmbeddedValueResolver(text -> new PropertyPlaceholderHelper("${", "}", ":", '\\', false)
                    .replacePlaceholders(text, properties::get));
            beans.registerSingleton("tenants", new Tenants("acme"));
            return beans;
        }

        static void check(byte[] data) {
            Draws draws = new Draws(data);
            String text = draws.joined(16, PARTS);
            Object[] arguments = {new Order(draws.number(), draws.text()), draws.text()};
            List<LeaseKey> keys;
            try {
                LeaseKeysReader reader = new LeaseKeysReader(annotated(text), draws.of("", "app-"));
                assertThat(reader.name()).isNotBlank().hasSizeLessThanOrEqualTo(128);
                keys = reader.keys();
            } catch (InvalidLeaseMethodException e) {
                assertThat(e).hasMessageContaining("Orders.process");
                assertThat(e.fix()).isNotBlank();
                return;
            }
            assertThat(keys).hasSize(1);
            if (NOT_EVALUATED.stream().noneMatch(text::contains)) {
                assertCall(keys.get(0), arguments);
            }
            assertParametersAreKept(arguments[1].toString());
        }

        private static void assertCall(LeaseKey key, Object[] arguments) {
            String resolved;
            try {
                resolved = key.resolve(new Orders(), arguments);
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("Orders.process");
                return;
            }
            assertThat(resolved).startsWith(key.known().begin());
            try {
                assertThat(LeaseRequest.of(resolved).key()).isEqualTo(resolved);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("Lease key");
            }
        }

        /** The value of a parameter is part of the key as it is, so two values never give one key. */
        private static void assertParametersAreKept(String tenant) {
            LeaseKey key = new LeaseKeysReader(annotated("order-#{#tenant}"), "app-")
                    .keys()
                    .get(0);

            assertThat(key.resolve(new Orders(), new Object[] {new Order(7, ""), tenant}))
                    .isEqualTo("app-order-" + tenant);
        }

        private static AnnotatedMethod annotated(String key) {
            return AnnotatedMethod.of(
                    METHOD,
                    Orders.class,
                    List.of(MergedAnnotation.of(DistributedLease.class, Map.of("key", key))),
                    BEANS);
        }
    }
}
