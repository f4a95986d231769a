/** Formats of values in logs and errors; not for users. */
@NullMarked
package io.leasekit.text;

import org.jspecify.annotations.NullMarked;
