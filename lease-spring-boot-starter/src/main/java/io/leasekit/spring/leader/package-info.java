/**
 * The methods with {@link io.leasekit.spring.LeaderOnly}. {@code LeaderOnlyAdvisor} guards them against other callers,
 * {@code LeaderMethodRules} rejects unsuitable ones, {@code LeaderMethodReader} reads their annotations, and
 * {@code LeaderElections} begins, by a {@code LeaderElector}, and ends their elections. {@code LeaderCall} is one term, and
 * a {@code LeaderMeter} measures them.
 */
@NullMarked
package io.leasekit.spring.leader;

import org.jspecify.annotations.NullMarked;
