/**
 * The methods with {@link io.leasekit.spring.LeaderOnly}, and their elections.
 *
 * <p>{@code LeaderOnlyAdvisor} rejects calls by other callers than the election, {@code LeaderMethodRules} rejects
 * unsuitable methods, and {@code LeaderMethodReader} reads the annotations. {@code LeaderElections} begins and ends the
 * elections. It begins them with a {@code LeaderElector} and measures them with a {@code LeaderMeter}.
 * {@code LeaderCall} is the call of a method in one term.
 */
@NullMarked
package io.leasekit.spring.leader;

import org.jspecify.annotations.NullMarked;
