package io.leasekit.dynamodb;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.LeaseStoreContract;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

class DynamoDbLeaseStoreIT extends LeaseStoreContract {

    /** Whether the server has ReturnValuesOnConditionCheckFailure, which dynalite does not. */
    private static final boolean SHOWS_ITEMS_OF_REFUSALS = LocalTable.showsItemsOfRefusals();

    private final DynamoDbLeaseStore store = DynamoDbLeaseStore.create(LocalTable.client(), LocalTable.NAME);

    @Override
    protected LeaseStore store() {
        return SHOWS_ITEMS_OF_REFUSALS ? store : new WithoutPartsOfDynamoDb(store);
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

    /** Dynalite has neither transactions nor PartiQL. */
    private record WithoutPartsOfDynamoDb(LeaseStore store) implements LeaseStore {

        @Override
        public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
            return store.send(request, timeout);
        }

        @Override
        public StoreInfo info() {
            return new StoreInfo(
                    store.info().name(), false, false, null, store.info().conditionChecks());
        }
    }
}
