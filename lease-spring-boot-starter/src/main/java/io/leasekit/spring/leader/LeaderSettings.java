package io.leasekit.spring.leader;

import io.leasekit.internal.Internal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of all methods with {@link io.leasekit.spring.LeaderOnly} in an application.
 *
 * @param keyPrefix the text before each key; may be empty
 * @param stopTimeout the stop timeout of methods whose annotation sets no stop timeout; {@code null} for a quarter of
 *     the ttl
 * @param virtualThreads whether the methods run on virtual threads
 */
@Internal
public record LeaderSettings(String keyPrefix, @Nullable Duration stopTimeout, boolean virtualThreads) {}
