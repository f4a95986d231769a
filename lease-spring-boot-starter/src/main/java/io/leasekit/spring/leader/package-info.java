/**
 * The methods with {@link io.leasekit.spring.LeaderOnly}, and their elections.
 *
 * <p>{@code LeaderMethodReader} reads the annotations, {@code LeaderMethodRules} rejects unsuitable methods, and
 * {@code LeaderOnlyAdvisor} rejects calls that do not come from an election. {@code LeaderElections} begins and ends
 * the elections. A {@code LeaderElector} creates each election, and a {@code LeaderMeter} measures the election. A
 * {@code LeaderCall} is the call of a method during one leadership of this process.
 */
@NullMarked
package io.leasekit.spring.leader;

import org.jspecify.annotations.NullMarked;
