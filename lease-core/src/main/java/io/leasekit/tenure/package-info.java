/**
 * The own leases: {@code Tenure}, the writes of one acquire and its lease, and the {@code Validity} that their replies give
 * it. This package sends nothing and decides nothing on which safety rests: the engine's rules do.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
