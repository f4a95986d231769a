package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.LeaseTable;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/**
 * Checks the table before its first use, or makes it. What is wrong for good stops the start; what may be a passing outage is
 * a warning, so that an application starts without DynamoDB.
 */
final class LeaseTablePreparation {

    private static final Logger log = LoggerFactory.getLogger(LeaseTablePreparation.class);

    private final LeaseTable table;
    private final LeaseProperties.Table properties;

    LeaseTablePreparation(DynamoDbAsyncClient client, LeaseProperties.Table properties) {
        this.table = LeaseTable.of(client, properties.name());
        this.properties = properties;
    }

    void run() {
        try {
            prepare();
        } catch (LeaseStoreException e) {
            throw e;
        }
    }

    private void prepare() {
        if (properties.create() == TableCreation.IF_MISSING) {
            table.createIfMissing();
        }
        table.verify();
    }
}
