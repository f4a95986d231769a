package io.leasekit.engine;

import io.leasekit.store.LeaseItem;
import io.leasekit.time.EngineTime;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A client like the Rust crate {@code dynamodb-lease}, with whole seconds of a local clock that is 1 s off at most. */
final class SimCrate {

    private static final long SECOND = EngineTime.SECOND;
    private static final long TTL = 6;

    private final Simulation world;
    private final RandomGenerator random;
    private final long clockError;
    private @Nullable String key;
    private String version = "";
    private long until;
    private boolean stopped;

    SimCrate(Simulation world) {
        this.world = world;
        this.random = world.random("crate", 0);
        this.clockError = random.nextBoolean() ? 1 - SECOND : random.nextLong(-SECOND, SECOND);
    }

    void start() {
        later(random.nextLong(5 * SECOND), this::acquire);
    }

    void stop() {
        stopped = true;
        key = null;
    }

    boolean believes(String aKey) {
        return aKey.equals(key) && seconds() < until;
    }

    private long seconds() {
        return (world.now() + clockError) / SECOND;
    }

    private void later(long delay, Runnable task) {
        world.at(world.now() + delay, () -> {
            if (!stopped) {
                task.run();
            }
        });
    }

    private void acquire() {
        String wanted = world.randomKey(random);
        LeaseItem item = world.item(wanted);
        if (item == null
                || item.version() == null
                || (item.removableFrom() != null && item.removableFrom() < seconds())) {
            key = wanted;
            write();
            later(TTL * SECOND / 2, this::renew);
            later(3 * SECOND + random.nextLong(12 * SECOND), this::end);
        } else {
            later(random.nextLong(4 * SECOND), this::acquire);
        }
    }

    private void write() {
        version = new UUID(random.nextLong(), random.nextLong()).toString();
        until = seconds() + TTL;
        world.log(() -> "crate's client writes " + key + " " + version + " until " + until);
        world.table().put(new LeaseItem(String.valueOf(key), version, until, null, null, null, null, null));
    }

    private boolean isMine() {
        LeaseItem item = key == null ? null : world.item(key);
        return item != null && version.equals(item.version());
    }

    private void renew() {
        boolean isStuck = random.nextInt(3) == 0; // it never renews, and uses the lease until it expires
        if (key != null && isMine() && !isStuck) {
            write();
            later(TTL * SECOND / 2, this::renew);
        }
    }

    private void end() {
        if (key != null && isMine() && random.nextInt(4) > 0) {
            world.log(() -> "crate's client deletes " + key);
            world.table().remove(key);
        }
        key = null;
        later(random.nextLong(10 * SECOND), this::acquire);
    }
}
