/** Leasekit beside other locks on DynamoDB: each row of the table is one class, {@link io.leasekit.benchmarks.Benchmarks} runs them. */
@NullMarked
package io.leasekit.benchmarks;

import org.jspecify.annotations.NullMarked;
