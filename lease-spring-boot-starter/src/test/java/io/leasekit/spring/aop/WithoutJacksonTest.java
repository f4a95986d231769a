package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Progress;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications without Jackson on their class path. */
class WithoutJacksonTest {

    private static final Pattern OPTIONAL = Pattern.compile(".*/jackson-[^/]*\\.jar");

    @Test
    void simpleValuesOfProgressWork() throws Exception {
        assertThat(Without.run(OPTIONAL, Working.class)).isEqualTo("none");
    }

    @Test
    void otherValuesAreRefusedWithWhatIsMissing() throws Exception {
        String type = WithoutJacksonTest.class.getName() + "$Position";
        assertThat(Without.run(OPTIONAL, Refused.class))
                .isEqualTo("@DistributedLease on '" + Imports.class.getName()
                        + ".load': it has a parameter of type Progress<" + type
                        + ">, but nothing encodes its values: expected a bean of type ProgressCodec<" + type
                        + ">, or Jackson. Define the bean, add Jackson to the class path, or save a String, byte[], Integer"
                        + " or Long.");
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LeaseAutoConfiguration.class))
                .withBean(InMemoryLeaseStore.class);
    }

    /** Runs within the class loader. */
    public static final class Working implements Callable<String> {

        @Override
        public String call() {
            String[] result = new String[1];
            runner().withBean(Counts.class)
                    .run(context -> result[0] = context.getBean(Counts.class).count(null));
            return result[0];
        }
    }

    /** Runs within the class loader. */
    public static final class Refused implements Callable<String> {

        @Override
        public String call() {
            String[] result = new String[1];
            runner().withBean(Imports.class).run(context -> {
                Throwable cause = context.getStartupFailure();
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                result[0] = cause.getMessage() + ". "
                        + cause.getClass().getMethod("fix").invoke(cause);
            });
            return result[0];
        }
    }

    public record Position(int line) {}

    public static class Counts {

        @DistributedLease("count")
        public String count(@Nullable Progress<Integer> progress) {
            return progress.last().map(String::valueOf).orElse("none");
        }
    }

    public static class Imports {

        @DistributedLease("import")
        public void load(@Nullable Progress<Position> progress) {}
    }
}
