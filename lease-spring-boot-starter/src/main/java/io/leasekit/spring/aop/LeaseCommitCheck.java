package io.leasekit.spring.aop;

import io.leasekit.LeaseLostException;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.context.LeaseFrame;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls a transaction back instead of committing it if a lease that it began under is no longer valid. It throws
 * {@link LeaseLostException}, or the other exceptions of {@link io.leasekit.Lease#ensureValid}, to the caller of the transactional
 * method.
 *
 * <p>It covers transactions that begin and commit within a method with {@link DistributedLease} or {@link
 * io.leasekit.spring.LeaderOnly}, on its thread. It does
 * not cover read-only transactions, methods with {@link OnLost#NOTIFY}, or leases of outer calls that have ended. It
 * also does not cover transactions that began before the lease, because they commit after its release. In most cases it
 * sends no request. It cannot detect that the process is paused between the check and the commit; that requires
 * fencing.
 *
 * <p>The starter adds it to all transaction managers that take listeners and are not reactive, unless it is switched off. Thread-safe.
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
