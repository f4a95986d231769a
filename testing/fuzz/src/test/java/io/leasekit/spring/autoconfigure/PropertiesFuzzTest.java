package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.fuzz.Draws;
import io.leasekit.memory.InMemoryLeaseStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Values of properties: they are bound and make managers, or the start fails with an error that names one of them. */
class PropertiesFuzzTest {

    @Test
    @Tag("each-build")
    void theSameValuesInEachBuild() {
        Draws.deterministic(200, Target::check);
    }

    @FuzzTest
    void valuesAreBoundOrAreAnErrorThatNamesAProperty(byte[] data) {
        Target.check(data);
    }

    /** Apart from the test: see {@link Draws}. */
    private static final class Target {

        private static final List<String> DURATIONS = List.of(
                "ttl",
                "heartbeat-interval",
                "store-timeout",
                "close-timeout",
                "retention",
                "once-retention",
                "leader.stop-timeout",
                "endpoint.table-max-age");

        private static final List<String> OTHERS = List.of(
                "enabled",
                "store",
                "owner",
                "key-prefix",
                "key-sharing",
                "max-waiters-per-key",
                "release-mode",
                "run-history",
                "release-in-background",
                "check-before-commit",
                "aspect.order",
                "endpoint.show-keys",
                "pause.enabled",
                "table.name",
                "table.create",
                "table.verify",
                "dynamodb.endpoint",
                "dynamodb.region",
                "dynamodb.access-key",
                "dynamodb.secret-key");

        private static final List<String> VALUES = List.of(
                "true",
                "off",
                "in-memory",
                "IF_MISSING",
                "delete",
                "fail",
                "0.5",
                "NaN",
                "1e-320",
                "7",
                "",
                " ",
                "arn:aws:dynamodb:eu-central-1:1:table/leases",
                "http://localhost:8000",
                "https://user:p@ss@my_host",
                "http://",
                "//",
                "http://[::1]:8000",
                "leases");

        static void check(byte[] data) {
            Map<String, String> values = values(new Draws(data));
            LeaseProperties properties;
            try {
                properties = new Binder(new MapConfigurationPropertySource(values))
                        .bindOrCreate("lease", LeaseProperties.class);
                properties.afterPropertiesSet();
            } catch (BindException e) {
                assertThat(e.getProperty()).as("property of %s", e).isNotNull();
                assertThat(values).containsKey(e.getProperty().getName().toString());
                return;
            } catch (LeaseSetupException e) {
                assertThat(e.toString()).containsPattern("'lease\\.[a-z.-]+'");
                return;
            }
            assertThat(properties.toString()).isNotEmpty();
            build(properties);
            assertThat(properties.dynamodb().endpoint() == null)
                    .isEqualTo(properties.dynamodb().address() == null);
        }

        private static void build(LeaseProperties properties) {
            LeaseManagerBuilder builder = LeaseManager.builder(new InMemoryLeaseStore());
            properties.applyTo(builder);
            builder.build().close();
        }

        private static Map<String, String> values(Draws draws) {
            Map<String, String> values = new TreeMap<>();
            for (int left = 1 + draws.below(4); left > 0; left--) {
                boolean duration = draws.oneOf(2);
                String name = draws.of(duration ? DURATIONS : OTHERS);
                values.put("lease." + name, duration ? duration(draws) : other(draws));
            }
            return values;
        }

        private static String duration(Draws draws) {
            return switch (draws.below(4)) {
                case 0 -> draws.number() + draws.of("", "ns", "us", "ms", "s", "m", "h", "d", "y", " s");
                case 1 -> draws.below(100) + draws.of("ms", "s", "m", "h", "d");
                case 2 -> "PT" + draws.number() + draws.of("S", "M", "H", "");
                default -> draws.text();
            };
        }

        private static String other(Draws draws) {
            return switch (draws.below(3)) {
                case 0 -> Long.toString(draws.number());
                case 1 -> draws.of(VALUES);
                default -> draws.text();
            };
        }
    }
}
