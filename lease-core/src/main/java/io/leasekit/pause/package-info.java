/**
 * The pauses of a table, which are stored in one item of the table. {@code PauseBoard} stores the pauses that a manager
 * last read, and {@code PauseChange} changes the item by a conditional write. {@code PauseControl} is the API for
 * operators.
 */
@NullMarked
package io.leasekit.pause;

import org.jspecify.annotations.NullMarked;
