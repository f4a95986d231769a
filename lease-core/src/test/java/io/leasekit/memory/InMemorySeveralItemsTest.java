package io.leasekit.memory;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.SeveralItemsContract;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

class InMemorySeveralItemsTest extends SeveralItemsContract {

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();

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
        store.put(item);
    }

    @Override
    protected @Nullable LeaseItem stored(String key) {
        return store.items().get(key);
    }
}
