/**
 * A test kit for code under leases: other nodes, losses, outages and virtual time, without a database and without
 * waiting. {@link io.leasekit.test.TestLeases} is the entry.
 */
@NullMarked
package io.leasekit.test;

import org.jspecify.annotations.NullMarked;
