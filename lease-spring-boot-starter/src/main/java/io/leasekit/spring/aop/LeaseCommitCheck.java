package io.leasekit.spring.aop;

import io.leasekit.LeaseLostException;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back a transaction at its commit if the transaction began under a lease that is no longer valid. The caller of
 * the transactional method receives a {@link LeaseLostException}, or another exception of
 * {@link io.leasekit.Lease#ensureValid}.
 *
 * <p>The commit check covers transactions that begin and commit on the thread of a method with {@link DistributedLease}
 * or {@link io.leasekit.spring.LeaderOnly}. The commit check does not cover read-only transactions, methods with
 * {@link OnLost#NOTIFY}, or leases of outer calls that have ended. A transaction that began before the acquire is not
 * covered, because it commits after the release of the lease. In most cases, the commit check sends no request to
 * DynamoDB. If the process pauses between the check and the commit, the commit can happen after the lease has expired.
 * Only fencing prevents a commit after the lease has expired.
 *
 * <p>The starter adds the commit check to all non-reactive transaction managers that accept listeners, unless
 * {@code lease.check-before-commit} is {@code false}. Thread-safe.
 */
@Internal
public final class LeaseCommitCheck implements TransactionExecutionListener {

    /** Creates the check. */
    public LeaseCommitCheck() {}

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (!transaction.isReadOnly()) {
            LeaseFrame.checkBeforeCommit();
        }
    }
}
