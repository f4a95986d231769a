package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.ReleaseMode;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one manager beside the default one. What is not set is as set for the default one.
 *
 * @param owner Name of this process, as the table shows it.
 * @param ttl How long one grant or renewal of a lease lasts.
 * @param heartbeatInterval Time between two renewals. Without it, and with a ttl of its own: a third of that.
 * @param storeTimeout For how long an acquire goes on trying while DynamoDB does not do what is asked.
 * @param closeTimeout How long the end of the application waits for leases that are still held.
 * @param observationTime How long a lease must be seen unchanged before its holder counts as dead, where the table does not
 *     tell its ttl.
 * @param maxWaitersPerKey How many callers of this process may wait for one key at a time.
 * @param atRiskFraction Part of the ttl left at which a lease counts as at risk, between 0 and 1.
 * @param releaseMode What a release leaves in the table.
 * @param retention How long the last owner and the fencing token of a released lease stay in the table.
 * @param onceRetention How long the table remembers that a run is done.
 * @param table The table that holds the leases.
 * @param dynamodb The connection to DynamoDB. If a part of it is set, nothing is taken from a client bean or the default one.
 */
record LeaseManagerProperties(
        @Nullable String owner,
        @Nullable Duration ttl,
        @Nullable Duration heartbeatInterval,
        @Nullable Duration storeTimeout,
        @Nullable Duration closeTimeout,
        @Nullable Duration observationTime,
        @Nullable Integer maxWaitersPerKey,
        @Nullable Double atRiskFraction,
        @Nullable ReleaseMode releaseMode,
        @Nullable Duration retention,
        @Nullable Duration onceRetention,
        @Nullable Table table,
        LeaseProperties.@Nullable DynamoDb dynamodb) {

    /** Returns these properties, and where one is not set that of the default manager. */
    LeaseManagerProperties or(LeaseManagerProperties defaults) {
        return new LeaseManagerProperties(
                or(owner, defaults.owner),
                or(ttl, defaults.ttl),
                ttl != null ? heartbeatInterval : or(heartbeatInterval, defaults.heartbeatInterval),
                or(storeTimeout, defaults.storeTimeout),
                or(closeTimeout, defaults.closeTimeout),
                or(observationTime, defaults.observationTime),
                or(maxWaitersPerKey, defaults.maxWaitersPerKey),
                or(atRiskFraction, defaults.atRiskFraction),
                or(releaseMode, defaults.releaseMode),
                or(retention, defaults.retention),
                or(onceRetention, defaults.onceRetention),
                table,
                dynamodb);
    }

    /** Sets on the builder what is set here; the rest stays the builder's default. */
    void applyTo(LeaseManager.Builder builder) {
        ifSet(owner, builder::owner);
        ifSet(ttl, builder::ttl);
        ifSet(heartbeatInterval, builder::heartbeatInterval);
        ifSet(storeTimeout, builder::storeTimeout);
        ifSet(closeTimeout, builder::closeTimeout);
        ifSet(observationTime, builder::observationTime);
        ifSet(maxWaitersPerKey, builder::maxWaitersPerKey);
        ifSet(atRiskFraction, builder::atRiskFraction);
        ifSet(releaseMode, builder::releaseMode);
        ifSet(retention, builder::retention);
        ifSet(onceRetention, builder::onceRetention);
    }

    private static <T> void ifSet(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    /** Returns whether the manager has a connection of its own. */
    boolean isConnectionSet() {
        return dynamodb != null && dynamodb.isSet();
    }

    /** Returns whether the manager needs a store of its own. */
    boolean isStoreSet() {
        return table != null || isConnectionSet();
    }

    private static <T> @Nullable T or(@Nullable T value, @Nullable T otherwise) {
        return value != null ? value : otherwise;
    }

    /**
     * The table that holds the leases.
     *
     * @param name Name of the table.
     * @param create What to do at start-up when the table does not exist.
     */
    record Table(@Nullable String name, @Nullable TableCreation create) {

        /** Returns this table, and where a part of it is not set that of the default manager's. */
        LeaseProperties.Table or(LeaseProperties.Table defaults) {
            return new LeaseProperties.Table(
                    name != null ? name : defaults.name(), create != null ? create : defaults.create());
        }
    }
}
