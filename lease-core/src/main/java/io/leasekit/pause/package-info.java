/**
 * The pauses of a table, which are stored in one item of the table. {@code PauseBoard} stores the pauses that a manager
 * last read. {@code PauseChange} changes the item by a conditional write. {@code PauseControl} is the API for
 * operators. {@code PauseRules} contains the limits of pauses, and {@code PauseText} the format of the item.
 * {@code PauseOrder} is an interface for decisions about pauses; the engine implements it.
 */
@NullMarked
package io.leasekit.pause;

import org.jspecify.annotations.NullMarked;
