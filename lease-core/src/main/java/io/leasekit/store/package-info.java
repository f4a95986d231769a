/**
 * The interface between the engine and a table.
 *
 * <p>Internal until version 1.0: anything in this package may change in any release.
 */
@NullMarked
package io.leasekit.store;

import org.jspecify.annotations.NullMarked;
