package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.LeaseTable;
import io.leasekit.dynamodb.LeaseTableException;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Checks or creates the table before its first use. A permanent problem prevents the application from starting. A
 * possible outage is only logged as a warning, so that applications can start without DynamoDB.
 */
final class LeaseTablePreparation {

    private static final Logger log = LoggerFactory.getLogger(LeaseTablePreparation.class);

    private final LeaseTable table;
    private final LeaseProperties.Table properties;

    LeaseTablePreparation(DynamoDbAsyncClient client, LeaseProperties.Table properties) {
        this.table = LeaseTable.of(client, properties.name());
        this.properties = properties;
    }

    /**
     * Prepares the table.
     *
     * @throws LeaseSetupException if the table is absent and must not be created, or cannot hold leases
     */
    void run() {
        boolean create = properties.create() == TableCreation.IF_MISSING;
        try {
            if (create) {
                table.createIfMissing();
            }
            table.verify();
        } catch (LeaseTableException e) {
            throw new LeaseSetupException(String.valueOf(e.getMessage()), cure(create, e), e);
        } catch (LeaseStoreException e) {
            log.warn(
                    "Table '{}' could not be checked; calls that need a lease fail until it can be reached: {}",
                    properties.name(),
                    e.getMessage());
        }
    }

    private static String cure(boolean create, LeaseTableException problem) {
        String cure = "Correct the table or the permissions as described.";
        // a missing permission and a refusal by AWS have a cause; with those, creating the table would be refused, too
        return create || problem.getCause() != null
                ? cure
                : cure + " To create an absent table at start-up, set 'lease.table.create' to 'if-missing'.";
    }
}
