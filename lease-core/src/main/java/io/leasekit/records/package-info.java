/**
 * The records that features keep in the item of a lease: one class for each feature, with the names of its attributes. The
 * protocol knows no record; it writes the edits of the features and returns the records before an acquire.
 * {@link io.leasekit.records.RecordTable} lists all attributes.
 */
@NullMarked
package io.leasekit.records;

import org.jspecify.annotations.NullMarked;
