/**
 * The records that features keep in the item of a lease. Each feature has one class with the names of its attributes.
 * The engine's protocol does not interpret records. It writes the changes that features request, and reports to the
 * features which records the item had before an acquire. {@link io.leasekit.records.RecordTable} lists all attributes.
 */
@NullMarked
package io.leasekit.records;

import org.jspecify.annotations.NullMarked;
