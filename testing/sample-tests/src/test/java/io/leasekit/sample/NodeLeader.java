package io.leasekit.sample;

import io.leasekit.spring.LeaderOnly;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** A leader that works until it is told to stop, and then for {@code node.leader.end-after}. Without it, there is none. */
@ConditionalOnProperty("node.leader.end-after")
class NodeLeader {

    static final String KEY = "node-leader";
    static final String BEGINS = "The leader begins";
    static final String RETURNS = "The leader returns";

    private static final Logger log = LoggerFactory.getLogger(NodeLeader.class);

    private final Duration endAfter;

    NodeLeader(@Value("${node.leader.end-after}") Duration endAfter) {
        this.endAfter = endAfter;
    }

    @LeaderOnly(KEY)
    void run() throws InterruptedException {
        log.info(BEGINS);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.sleep(endAfter.toMillis());
        }
        log.info(RETURNS);
    }
}
