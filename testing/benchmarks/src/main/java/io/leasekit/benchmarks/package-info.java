/**
 * Benchmarks of Leasekit and other locks on DynamoDB. Each row of the table is one class;
 * {@link io.leasekit.benchmarks.Benchmarks} runs them.
 */
@NullMarked
package io.leasekit.benchmarks;

import org.jspecify.annotations.NullMarked;
