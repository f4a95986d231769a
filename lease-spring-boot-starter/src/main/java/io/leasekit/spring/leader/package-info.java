/**
 * The methods with {@link io.leasekit.spring.LeaderOnly}, and their elections.
 *
 * <p>{@code LeaderMethodReader} reads the annotations, {@code LeaderMethodRules} rejects unsuitable methods, and
 * {@code LeaderOnlyAdvisor} rejects calls that do not come from an election. {@code LeaderElections} begins the
 * elections with a {@code LeaderElector}, measures them with a {@code LeaderMeter}, and ends them. {@code LeaderCall}
 * is the call of a method in one term.
 */
@NullMarked
package io.leasekit.spring.leader;

import org.jspecify.annotations.NullMarked;
