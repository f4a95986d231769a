package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A job that runs for {@code node.long-job.length} or until its node closes, and then for {@code node.long-job.end-after}, even if
 * interrupted.
 */
class LongJob implements ApplicationListener<ContextClosedEvent> {

    private static final Logger log = LoggerFactory.getLogger(LongJob.class);

    private final CountDownLatch closing = new CountDownLatch(1);
    private final Duration length;
    private final Duration endAfter;

    LongJob(
            @Value("${node.long-job.length:1h}") Duration length,
            @Value("${node.long-job.end-after:1h}") Duration endAfter) {
        this.length = length;
        this.endAfter = endAfter;
    }

    @Scheduled(cron = "${node.long-job.cron:-}")
    @DistributedLease(key = "long-job", ttl = "${node.long-job.ttl:5s}")
    void run() {
        log.info("Long job begins");
        await(closing, length);
        await(new CountDownLatch(1), endAfter);
        log.info("Long job has ended");
    }

    private static void await(CountDownLatch latch, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (true) {
            try {
                if (latch.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
                        || deadline - System.nanoTime() <= 0) {
                    return;
                }
            } catch (InterruptedException e) {
                log.info("Long job was interrupted and continues");
            }
        }
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        closing.countDown();
    }
}
