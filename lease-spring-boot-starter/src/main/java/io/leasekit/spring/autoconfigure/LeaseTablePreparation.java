package io.leasekit.spring.autoconfigure;

import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.dynamodb.LeaseTableException;
import io.leasekit.limits.Checks;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;

/**
 * Checks or creates the table before its first use. Startup fails after a permanent problem; after a temporary problem,
 * the store repeats the check in the background.
 */
final class LeaseTablePreparation {

    private LeaseTablePreparation() {}

    static CheckedStore open(CheckedStore.Builder store, LeaseProperties.Table properties) {
        boolean create = properties.create() == TableCreation.IF_MISSING;
        try {
            return store.table(properties.name())
                    .createIfMissing(create)
                    .permissions(properties.verify())
                    .open();
        } catch (LeaseTableException e) {
            throw new LeaseSetupException(String.valueOf(e.getMessage()), fix(create, e), e);
        }
    }

    private static String fix(boolean create, LeaseTableException problem) {
        String fix = "Correct the table, the permissions or the credentials as described.";
        if (String.valueOf(problem.getMessage()).contains(Checks.PERMISSIONS_MARK)) {
            return fix + " The policy's keys must fit to 'lease.key-prefix'. To start all the same, set"
                    + " 'lease.table.verify' to 'warn' or 'off'.";
        }
        // the exception has a cause if AWS has refused a request; AWS would then also refuse to create the table
        return create || problem.getCause() != null
                ? fix
                : fix + " To create an absent table at start-up, set 'lease.table.create' to 'if-missing'.";
    }
}
