package io.leasekit.spring.aop;

import io.leasekit.LeaseLostException;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back a transaction instead of committing it if the transaction began under a lease that is no longer valid. The
 * caller of the transactional method receives the {@link LeaseLostException}, or another exception of
 * {@link io.leasekit.Lease#ensureValid}.
 *
 * <p>The check covers transactions that begin and commit within a method with {@link DistributedLease} or
 * {@link io.leasekit.spring.LeaderOnly}, on the method's thread. The check does not cover read-only transactions,
 * methods with {@link OnLost#NOTIFY}, or leases of outer calls that have ended. A transaction that began before the
 * lease was acquired is not covered, because it commits after the release of the lease. In most cases the check sends
 * no request to DynamoDB. If the process is paused between the check and the commit, the check cannot prevent that the
 * commit happens after the lease has expired; only fencing prevents this.
 *
 * <p>The starter adds the check to all non-reactive transaction managers that take listeners, unless
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
