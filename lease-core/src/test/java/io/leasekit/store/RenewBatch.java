package io.leasekit.store;

import java.util.List;

/** A request of the previous version's port, for simulations of both versions. */
public record RenewBatch(List<RenewCommand> commands) {}
