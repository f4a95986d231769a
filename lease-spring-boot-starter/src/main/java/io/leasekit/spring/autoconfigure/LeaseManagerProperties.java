package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManagerBuilder;
import io.leasekit.ReleaseMode;
import io.leasekit.dynamodb.PermissionCheck;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Properties of one additional manager. Unset properties take the value of the default manager.
 *
 * @param owner Name of this process in the table.
 * @param keySharing Whether other applications use the same keys on purpose.
 * @param ttl Duration of one grant or renewal of a lease.
 * @param heartbeatInterval Time between two renewals. If a ttl is set here and no interval, a third of that ttl.
 * @param storeTimeout Time for which an acquire retries while DynamoDB fails.
 * @param closeTimeout Maximum time that the shutdown of the application waits for leases that are still held.
 * @param observationTime Time for which a lease must be seen unchanged before its holder counts as dead, if the table
 *     does not show its ttl.
 * @param maxWaitersPerKey Maximum number of callers of this process that may wait for one key.
 * @param atRiskFraction Part of the ttl that is left when a lease counts as at risk, between 0 and 1.
 * @param releaseMode Effect of a release on the item of the lease in the table.
 * @param retention Time for which the last owner and the fencing token of a released lease stay in the table.
 * @param onceRetention Time for which the table remembers that a run is done.
 * @param runHistory Number of last runs that the table shows for each key.
 * @param table Table that holds the leases.
 * @param dynamodb Connection to DynamoDB. If any part is set, nothing is taken from a client bean or from the default
 *     manager.
 */
record LeaseManagerProperties(
        @Nullable String owner,
        @Nullable Boolean keySharing,
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
        @Nullable Integer runHistory,
        @Nullable Table table,
        LeaseProperties.@Nullable DynamoDb dynamodb) {

    /** Returns these properties, with those of the default manager where one is not set. */
    LeaseManagerProperties or(LeaseManagerProperties defaults) {
        return new LeaseManagerProperties(
                or(owner, defaults.owner),
                or(keySharing, defaults.keySharing),
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
                or(runHistory, defaults.runHistory),
                table,
                dynamodb);
    }

    /** Applies the properties that are set. For the others, the defaults of the builder remain. */
    void applyTo(LeaseManagerBuilder builder) {
        ifSet(owner, builder::owner);
        ifSet(keySharing, builder::keySharing);
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
        ifSet(runHistory, builder::runHistory);
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
        return (table != null && table.isSet()) || isConnectionSet();
    }

    private static <T> @Nullable T or(@Nullable T value, @Nullable T otherwise) {
        return value != null ? value : otherwise;
    }

    /**
     * Table that holds the leases.
     *
     * @param name Name of the table.
     * @param create Action at start-up if the table does not exist.
     * @param verify Effect of a missing permission for leases, found at start-up by requests that change nothing.
     */
    record Table(
            @Nullable String name,
            @Nullable TableCreation create,
            @Nullable PermissionCheck verify) {

        /** Returns whether anything is set; a group without entries in YAML sets nothing. */
        boolean isSet() {
            return name != null || create != null;
        }

        /** Returns this table, with the settings of the default manager where one is not set. */
        LeaseProperties.Table or(LeaseProperties.Table defaults) {
            return new LeaseProperties.Table(
                    name != null ? name : defaults.name(),
                    create != null ? create : defaults.create(),
                    verify != null ? verify : defaults.verify());
        }
    }
}
