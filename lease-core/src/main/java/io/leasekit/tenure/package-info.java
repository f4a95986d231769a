/**
 * The tenures of leases: {@code Tenure}, the writes of one acquire and its lease, and the {@code Validity} that their
 * replies give it; {@code SeenItems}, the memory of what the table showed of other tenures; and by these, the times at
 * which to look again ({@code Polling}, {@code Contention}). This package sends nothing and decides nothing on which
 * safety rests: the engine does.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
