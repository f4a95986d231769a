/**
 * A test kit for code that uses leases: other nodes, lost leases, outages and virtual time, without a database and
 * without waiting. Start with {@link io.leasekit.test.TestLeases}.
 */
@NullMarked
package io.leasekit.test;

import org.jspecify.annotations.NullMarked;
