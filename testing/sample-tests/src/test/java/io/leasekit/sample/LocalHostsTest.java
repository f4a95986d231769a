package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** A site that lets its own name point to this machine does not reach the sample. */
class LocalHostsTest {

    private static int status(String host) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/actuator/leases");
        request.addHeader("Host", host);
        request.setServerName(host);
        MockHttpServletResponse response = new MockHttpServletResponse();
        new LocalHosts().doFilter(request, response, new MockFilterChain());
        return response.getStatus();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST", "127.0.0.1", "10.1.2.3", "[::1]"})
    void thisMachineIsServed(String host) throws Exception {
        assertThat(status(host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "1e100.net", "dead.beef", ""
            })
    void otherNamesAreRefused(String host) throws Exception {
        assertThat(status(host)).isEqualTo(403);
    }
}
