/**
 * The lease manager, and the features that build on the kernel. The only public class is {@link
 * io.leasekit.engine.EngineBuilder}, which the API and tests with a virtual clock use.
 *
 * <ol>
 *   <li>Manager: {@code EngineBuilder} builds a {@code LeaseEngine}, which implements the manager. {@code
 *       LeaseEngine.begin} starts an acquire. {@code EngineFeatures} connects the features to the kernel.
 *   <li>Leases: {@code HeldLease} implements the {@code Lease} that callers get, and selects the records that its
 *       renewals write.
 *   <li>Records: {@code FeatureRecords} adds runs, progress, the run history, the number of permits and the name of the
 *       application to the kernel's writes. {@code RunReport} has the records of one release. {@code SavedProgress} and
 *       {@code HeldProgress} save the holder's progress. {@code SharedKeys} warns if two applications use the same key.
 *   <li>Permits: {@code Permits} contains a {@code PermitQueue} for each key. A {@code PermitCall} waits in a {@code
 *       PermitQueue} for a permit. The queue stores each read of the permits in {@code PermitsSeen}, and requests one
 *       permit after another until DynamoDB grants one.
 *   <li>Reports: {@code LeaseNotifier} writes the log, and calls monitors. {@code Events} calls listeners.
 *   <li>Decisions: {@code FeatureRules} adds the decisions of pauses, permits and watches to those of the kernel.
 *   <li>Operators: {@code Inspection} reads leases, {@code Revocation} releases a lease by force, and {@code RunAgain}
 *       allows a finished run to be executed again. {@code OperatorWrite} retries the writes of {@code Revocation} and
 *       {@code RunAgain}.
 *   <li>Watches: {@code WatchedKeys} contains a {@code KeyPoller} for each watched key. A {@code KeyPoller} reads the
 *       item of its key at intervals. A {@code ListeningWatch} passes the states of the key to a listener, or to a
 *       caller that waits until the key is free.
 * </ol>
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
