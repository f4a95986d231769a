/**
 * The lease manager, and the features that build on the kernel. The only public class is {@link
 * io.leasekit.engine.EngineBuilder}.
 *
 * <ol>
 *   <li>Manager: {@code EngineBuilder} builds a {@code LeaseEngine}, and {@code EngineFeatures} connects the features
 *       to the kernel.
 *   <li>Leases: {@code HeldLease} implements the {@code Lease} that callers get, and writes the records of this
 *       lease.
 *   <li>Records: {@code FeatureRecords} adds runs, progress and other records to the kernel's writes, and {@code
 *       RunReport} has the records of one release.
 *   <li>Permits: a {@code PermitCall} waits in the {@code PermitQueue} of a key, and each {@code PermitSlot} is a
 *       queue of the kernel.
 *   <li>Reports: {@code LeaseNotifier} writes the log and calls monitors, and {@code Events} calls listeners.
 *   <li>Decisions: {@code FeatureRules} adds decisions about pauses, permits and watches to the kernel's decisions.
 *   <li>Operators: {@code Inspection} reads leases, {@code Revocation} releases a lease by force, and {@code RunAgain}
 *       allows a finished run to be executed again.
 *   <li>Watches: a {@code KeyPoller} reads the item of a key, and a {@code ListeningWatch} passes the states to a
 *       listener.
 * </ol>
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
