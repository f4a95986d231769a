package io.leasekit.memory;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.LeaseStoreContract;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

class InMemoryStoreContractTest extends LeaseStoreContract {

    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00.999Z");

    private final InMemoryLeaseStore store = new InMemoryLeaseStore(Clock.fixed(NOW, ZoneOffset.UTC));

    @Override
    protected LeaseStore store() {
        return store;
    }

    @Override
    protected void put(LeaseItem item) {
        store.put(item);
    }

    @Override
    protected @Nullable LeaseItem stored(String key) {
        return store.items().get(key);
    }

    @Override
    protected Instant now() {
        return NOW;
    }
}
