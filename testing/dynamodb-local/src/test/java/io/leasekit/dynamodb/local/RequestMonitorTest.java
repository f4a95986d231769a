package io.leasekit.dynamodb.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

class RequestMonitorTest {

    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(60);

    // close to the end of the range, so that the clock wraps within each test
    private long nanos = Long.MAX_VALUE - 1;

    @Test
    void countsFromTheStartWithoutRequests() {
        RequestMonitor requests = monitor(Duration.ZERO);
        pass(Duration.ofSeconds(59));
        assertThat(requests.untilIdle(IDLE_TIMEOUT)).isEqualTo(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(1));
        assertThat(requests.untilIdle(IDLE_TIMEOUT)).isZero();
    }

    @Test
    void countsFromTheEndOfTheLastRequest() throws Exception {
        RequestMonitor requests = monitor(Duration.ofSeconds(5));
        pass(Duration.ofSeconds(59));
        requests.handle(null, null, null);
        assertThat(requests.untilIdle(IDLE_TIMEOUT)).isEqualTo(IDLE_TIMEOUT);
        pass(Duration.ofSeconds(61));
        assertThat(requests.untilIdle(IDLE_TIMEOUT)).isNegative();
    }

    private RequestMonitor monitor(Duration durationOfRequest) {
        return new RequestMonitor(
                new Handler.Abstract() {
                    @Override
                    public boolean handle(Request request, Response response, Callback callback) {
                        pass(durationOfRequest);
                        return true;
                    }
                },
                () -> nanos);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
