/**
 * The records that features keep in the item of a lease. Each feature has one class with the names of its attributes.
 * The engine's protocol does not interpret records: it writes the edits of the features and returns the records that an
 * item had before an acquire. {@link io.leasekit.records.RecordTable} lists all attributes.
 */
@NullMarked
package io.leasekit.records;

import org.jspecify.annotations.NullMarked;
