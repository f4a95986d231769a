package io.leasekit.spring.leader;

import io.leasekit.internal.Internal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of all methods with {@link io.leasekit.spring.LeaderOnly} in an application.
 *
 * @param stopTimeout the stop timeout of methods that set none; {@code null} for a quarter of the ttl
 */
@Internal
public record LeaderSettings(String keyPrefix, @Nullable Duration stopTimeout, boolean virtualThreads) {}
