package io.leasekit.dynamodb;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.LeaseStoreContract;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

class DynamoDbLeaseStoreIT extends LeaseStoreContract {

    /** Whether the server has ReturnValuesOnConditionCheckFailure, which dynalite does not. */
    private static final boolean SHOWS_ITEMS_OF_REFUSALS = LocalTable.showsItemsOfRefusals();

    private final DynamoDbLeaseStore store = DynamoDbLeaseStore.create(LocalTable.client(), LocalTable.NAME);

    @Override
    protected LeaseStore store() {
        return store;
    }

    @Override
    protected String newKey() {
        return UUID.randomUUID().toString();
    }

    @Override
    protected void put(LeaseItem item) {
        LocalTable.put(item);
    }

    @Override
    protected @Nullable LeaseItem stored(String key) {
        return ItemMapping.item(key, LocalTable.attributes(key));
    }

    @Override
    protected boolean showsItemsOfRefusals() {
        return SHOWS_ITEMS_OF_REFUSALS;
    }

    @Override
    protected Instant now() {
        return Instant.now();
    }
}
