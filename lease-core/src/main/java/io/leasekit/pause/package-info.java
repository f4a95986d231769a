/**
 * The pauses of a table, which are stored in a separate item. {@code PauseBoard} has the pauses that one manager last
 * read, {@code PauseChange} changes the item by a conditional write, and {@code PauseControl} is the API for operators.
 * {@code PauseRules} contains the limits and {@code PauseText} the format of the item. {@code PauseOrder} is the
 * interface of the decisions, which the engine implements.
 */
@NullMarked
package io.leasekit.pause;

import org.jspecify.annotations.NullMarked;
