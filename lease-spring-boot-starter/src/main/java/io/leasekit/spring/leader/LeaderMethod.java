package io.leasekit.spring.leader;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.LeaseParameters;
import io.leasekit.text.Text;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * A method with {@link LeaderOnly}.
 *
 * @param type the class that the user wrote, not the class of a proxy
 * @param stopTimeout the stop timeout; {@code null} for a quarter of the ttl
 * @param manager the name or qualifier of the manager; empty for the only or primary manager
 */
record LeaderMethod(
        String bean,
        Method method,
        Class<?> type,
        LeaseRequest request,
        @Nullable Duration stopTimeout,
        String manager,
        LeaseParameters parameters) {

    String name() {
        return ClassUtils.getQualifiedMethodName(method, type);
    }

    /** The name of an overloaded method includes the parameter types, so that names in a context are unique. */
    String nameAmong(List<LeaderMethod> all) {
        boolean overloaded =
                all.stream().filter(other -> other.name().equals(name())).count() > 1;
        return overloaded ? name() + types() : name();
    }

    private String types() {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    String managerName() {
        return manager.isEmpty() ? "default" : manager;
    }

    String leaseName() {
        return Objects.requireNonNull(request.name());
    }

    /** {@code ofManager} is the manager's ttl, which applies if the method sets no ttl. */
    void checkStopTimeout(Duration ofManager) {
        Duration ttl = request.ttl() == null ? ofManager : request.ttl();
        if (stopTimeout != null && stopTimeout.compareTo(ttl.dividedBy(3)) > 0) {
            throw invalid(
                    "stopTimeout is " + Text.exact(stopTimeout) + ", expected at most a third of the ttl of "
                            + Text.exact(ttl) + ", so that renewals can be retried before",
                    "Correct 'stopTimeout' or the property 'lease.leader.stop-timeout', or use a longer ttl.",
                    null);
        }
    }

    InvalidLeaseMethodException invalid(String problem, String fix, @Nullable Throwable cause) {
        return new InvalidLeaseMethodException(LeaderOnly.class, method, type, problem, fix, cause);
    }
}
