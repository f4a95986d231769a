/**
 * The pauses of a table, which live in one item of their own. {@code PauseBoard} is what one manager last read of it,
 * {@code PauseChange} changes it by a conditional write, and {@code PauseControl} is the API of both. {@code PauseRules} has
 * the limits, {@code PauseText} the form of the item, and {@code PauseOrder} the decisions, which the engine makes.
 */
@NullMarked
package io.leasekit.pause;

import org.jspecify.annotations.NullMarked;
