/**
 * The port between the engine and a table: {@link io.leasekit.store.LeaseStore}, its commands and its replies.
 *
 * <p>For those who implement a store. Applications use {@link io.leasekit.LeaseManager}.
 */
@NullMarked
package io.leasekit.store;

import org.jspecify.annotations.NullMarked;
