package io.leasekit.spring.aop;

import io.leasekit.LeaseLostException;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Lets a transaction be rolled back in place of its commit, if a lease under which it was begun is no longer valid: it throws
 * {@link LeaseLostException}, which the caller of the transactional method gets.
 *
 * <p>It covers transactions that are begun and committed within a method with {@link DistributedLease}, on its thread; not one
 * that was begun before the lease, whose commit comes after the release, nor those that only read, nor methods with
 * {@link OnLost#NOTIFY}. It sends no request in most cases. What it does not exclude is a process that is stopped between this
 * check and the commit: that takes fencing.
 *
 * <p>The starter adds it to all transaction managers. Thread-safe.
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
