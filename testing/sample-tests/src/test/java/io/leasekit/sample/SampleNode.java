package io.leasekit.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The sample in a separate process, which ends with the process of the test. Its scheduler logs each firing and is late
 * by {@code node.delay}.
 */
final class SampleNode {

    private static final Logger log = LoggerFactory.getLogger(SampleNode.class);

    private SampleNode() {}

    public static void main(String[] args) {
        endWithParent();
        new SpringApplicationBuilder(SampleApplication.class, Configuration.class, LongJob.class, NodeLeader.class)
                .run(args);
    }

    /** The sample itself, without what a node has for the tests. */
    static final class Processed {

        private Processed() {}

        public static void main(String[] args) {
            endWithParent();
            SampleApplication.main(args);
        }
    }

    /** Ends this node at the end of standard input, so a killed test leaves no node behind. */
    private static void endWithParent() {
        Thread thread = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        log.warn("Standard input failed", e);
                    }
                    Runtime.getRuntime().halt(1);
                },
                "node-parent");
        thread.setDaemon(true);
        thread.start();
    }

    // not annotated, so the component scan of the sample does not find it
    static class Configuration {

        @Bean
        ThreadPoolTaskScheduler taskScheduler(@Value("${node.delay:0s}") Duration delay) {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler() {
                @Override
                public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
                    return super.schedule(logged(task), context -> late(trigger, context));
                }

                private @Nullable Instant late(Trigger trigger, TriggerContext context) {
                    Instant next = trigger.nextExecution(context);
                    return next == null ? null : next.plus(delay);
                }
            };
            scheduler.setThreadNamePrefix("scheduling-");
            return scheduler;
        }

        private static Runnable logged(Runnable task) {
            return () -> {
                log.info("Firing");
                task.run();
            };
        }
    }
}
