/**
 * The pauses of a table, which are stored in a separate item. {@code PauseBoard} has the pauses that one manager last
 * read, {@code PauseChange} changes the item by a conditional write, and {@code PauseControl} is the API of both.
 * {@code PauseRules} has the limits, {@code PauseText} the format of the item, and {@code PauseOrder} the decisions,
 * which the engine implements.
 */
@NullMarked
package io.leasekit.pause;

import org.jspecify.annotations.NullMarked;
