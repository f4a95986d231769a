/**
 * A test kit for code that uses leases. The kit simulates other nodes, lost leases and outages in virtual time. Tests
 * with the kit need no database, and do not wait in real time. Start with {@link io.leasekit.test.TestLeases}.
 */
@NullMarked
package io.leasekit.test;

import org.jspecify.annotations.NullMarked;
