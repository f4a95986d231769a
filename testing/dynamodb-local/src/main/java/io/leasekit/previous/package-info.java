/** The core of the previous version, for tests in which it shares a table with the present one. Nothing here is published. */
@NullMarked
package io.leasekit.previous;

import org.jspecify.annotations.NullMarked;
