/**
 * The interface between the engine and a table. A {@link io.leasekit.store.LeaseStore} receives requests, which contain
 * commands, and returns replies.
 *
 * <p>Internal until version 1.0: anything in this package may change in any release. Applications use
 * {@link io.leasekit.LeaseManager} with the stores in {@code io.leasekit.dynamodb} and {@code io.leasekit.memory}. The
 * tests of {@code LeaseStoreContract} run on the DynamoDB store and on the in-memory store.
 */
@NullMarked
package io.leasekit.store;

import org.jspecify.annotations.NullMarked;
