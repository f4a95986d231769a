/**
 * The port between the engine and a table: {@link io.leasekit.store.LeaseStore}, its commands and its replies.
 *
 * <p>For those who implement a store: see {@code docs/own-store.md}, and {@code LeaseStoreContract} in the module
 * {@code lease-test}, which tests a store. Applications use {@link io.leasekit.LeaseManager}.
 */
@NullMarked
package io.leasekit.store;

import org.jspecify.annotations.NullMarked;
