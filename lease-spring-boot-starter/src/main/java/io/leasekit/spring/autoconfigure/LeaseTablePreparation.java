package io.leasekit.spring.autoconfigure;

import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.dynamodb.LeaseTableException;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Checks or creates the table before its first use. A permanent problem prevents the application from starting. After a
 * possible outage, the store goes on in the background, so that applications can start without DynamoDB.
 */
final class LeaseTablePreparation {

    private LeaseTablePreparation() {}

    /**
     * Opens the store of a table.
     *
     * @throws LeaseSetupException if the table is absent and must not be created, or cannot hold leases
     */
    static CheckedStore open(DynamoDbAsyncClient client, LeaseProperties.Table properties) {
        boolean create = properties.create() == TableCreation.IF_MISSING;
        try {
            return create
                    ? CheckedStore.openOrCreate(client, properties.name())
                    : CheckedStore.open(client, properties.name());
        } catch (LeaseTableException e) {
            throw new LeaseSetupException(String.valueOf(e.getMessage()), cure(create, e), e);
        }
    }

    private static String cure(boolean create, LeaseTableException problem) {
        String cure = "Correct the table, the permissions or the credentials as described.";
        // a missing permission and a refusal by AWS have a cause; with those, creating the table would be refused, too
        return create || problem.getCause() != null
                ? cure
                : cure + " To create an absent table at start-up, set 'lease.table.create' to 'if-missing'.";
    }
}
