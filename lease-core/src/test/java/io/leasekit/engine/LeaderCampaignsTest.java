package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The times at which nodes campaign, each with a random source of its own. */
class LeaderCampaignsTest {

    private static final Duration BACKOFF = Duration.ofSeconds(2);
    private static final int TERMS = 10;

    private final Bench bench = new Bench();
    private final Queue<Runnable> started = new ArrayDeque<>();

    /** Begins an election whose terms end at once. Each begins with a campaign, which is granted at once. */
    private List<Instant> campaigns(Bench.Node node, String key) {
        List<Instant> times = new ArrayList<>();
        ElectionSettings settings = ElectionSettings.defaults().backoff(BACKOFF).threads(task -> new Thread(task) {
            @Override
            public synchronized void start() {
                times.add(bench.time.now());
                started.add(task);
            }
        });
        node.leases.elect(LeaseRequest.of(key), settings, lease -> {});
        return times;
    }

    private void endTerms() {
        while (!started.isEmpty()) {
            started.remove().run();
        }
    }

    @Test
    void nodesWhoseTermsEndTogetherDoNotCampaignTogether() {
        List<Instant> ofOne = campaigns(bench.start("one"), "one");
        List<Instant> ofTwo = campaigns(bench.start("two"), "two");
        assertThat(ofOne).isEqualTo(ofTwo).hasSize(1);

        while (ofOne.size() < TERMS || ofTwo.size() < TERMS) {
            endTerms();
            bench.advance(Duration.ofMillis(1));
        }

        assertThat(ofOne.subList(1, TERMS)).doesNotContainAnyElementsOf(ofTwo.subList(1, TERMS));
    }
}
