package io.leasekit.spring.aop;

import io.leasekit.internal.Internal;
import io.leasekit.spring.context.LeaseFrame;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back a transaction at its commit if the transaction began under a lease that is no longer valid.
 *
 * <p>A transaction that began before the acquire is not covered, because the commit follows the release of the lease.
 * If the process pauses between the check and the commit, the commit can happen after the lease has expired.
 * Thread-safe.
 */
@Internal
public final class LeaseCommitCheck implements TransactionExecutionListener {

    public LeaseCommitCheck() {}

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (!transaction.isReadOnly()) {
            LeaseFrame.checkBeforeCommit();
        }
    }
}
