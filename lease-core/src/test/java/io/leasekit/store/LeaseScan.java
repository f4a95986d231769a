package io.leasekit.store;

import org.jspecify.annotations.Nullable;

/** A request of the previous version's port, for simulations of both versions. */
public record LeaseScan(String prefix, int limit, @Nullable String after) {}
