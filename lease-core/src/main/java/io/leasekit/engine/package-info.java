/**
 * The manager, and the features that use the kernel. The only public class is {@link
 * io.leasekit.engine.EngineBuilder}, which the API and tests with a virtual clock use.
 *
 * <ol>
 *   <li>Manager: {@code EngineBuilder} builds a {@code LeaseEngine}, which implements the manager; its method {@code
 *       begin} starts an acquire. {@code EngineFeatures} connects the features to the kernel.
 *   <li>Records: {@code FeatureRecords} adds runs, progress, the run history, the number of permits and the name of the
 *       application to the kernel's writes. {@code HeldRecords} has the records of one held lease, and {@code
 *       RunReport} the records of one release. {@code SavedProgress} and {@code HeldProgress} serve the holder's
 *       progress, {@code RunHistory} has the text of the history, and {@code SharedKeys} warns of keys that two
 *       applications use.
 *   <li>Permits: a request for a permit is a {@code PermitCall}, which waits in a {@code PermitQueue}; {@code Permits}
 *       contains these queues. The queue reads the items of all permits of a key, stores the result ({@code
 *       PermitsSeen}), and tries to acquire one permit after another until DynamoDB grants one.
 *   <li>Operators: {@code Inspection} reads leases, {@code Revocation} releases a lease by force, and {@code RunAgain}
 *       allows a finished run to be executed again. {@code OperatorWrite} repeats the failed writes of both.
 *   <li>Watches: {@code WatchedKeys} contains a {@code KeyPoller} for each watched key, which reads the key's item at
 *       intervals. A {@code ListeningWatch} passes the states of the key to a listener, or to a caller that waits until
 *       the key is free.
 * </ol>
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
