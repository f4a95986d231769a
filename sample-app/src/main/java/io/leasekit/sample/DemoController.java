package io.leasekit.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Handles the buttons of the sample's page. Each request must have the header {@code X-Sample}, which browsers do not
 * let other sites send.
 */
@RestController
@RequestMapping(path = "/demo", headers = "X-Sample")
class DemoController {

    private static final Logger log = LoggerFactory.getLogger(DemoController.class);
    private static final Duration OUTAGE = Duration.ofSeconds(20);
    private static final Executor SOON = CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS);

    private final DemoJob job;
    private final DemoOutage outage;

    DemoController(DemoJob job, DemoOutage outage) {
        this.job = job;
        this.outage = outage;
    }

    @PostMapping("/job")
    String job() {
        Thread thread = new Thread(this::runJob, "demo-job");
        thread.setDaemon(true);
        thread.start();
        return "The long job runs here, or waits for the node that runs it";
    }

    private void runJob() {
        try {
            job.run();
        } catch (Exception e) {
            log.info("The long job has ended early: {}", e.getMessage());
        }
    }

    @PostMapping("/stop-heartbeats")
    String stopHeartbeats() {
        outage.begin(OUTAGE);
        return "No request of this node reaches DynamoDB for 20 s";
    }

    @PostMapping("/hang")
    String hang() throws IOException {
        long process = ProcessHandle.current().pid();
        String script =
                "sleep 0.3; kill -STOP %1$d; sleep %2$d; kill -CONT %1$d".formatted(process, OUTAGE.toSeconds());
        new ProcessBuilder("sh", "-c", script).start();
        return "This node hangs for 20 s, and so does its page: look at that of another node";
    }

    @PostMapping("/crash")
    String crash() {
        SOON.execute(() -> Runtime.getRuntime().halt(1));
        return "This node has crashed: look at the page of another node";
    }
}
