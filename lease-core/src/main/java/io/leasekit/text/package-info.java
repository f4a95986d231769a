/** Formats of values in logs and errors. Not for users: anything in this package may change in any release. */
@NullMarked
package io.leasekit.text;

import org.jspecify.annotations.NullMarked;
