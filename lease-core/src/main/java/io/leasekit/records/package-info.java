/**
 * The attributes ("records") of features such as runs and progress in the item of a lease. Each feature has one class with the
 * names of its attributes. The engine's protocol does not interpret records. The engine writes the changes that
 * features request. The engine shows features the records that an item had before an acquire.
 * {@link io.leasekit.records.RecordTable} lists the attributes of all records.
 */
@NullMarked
package io.leasekit.records;

import org.jspecify.annotations.NullMarked;
