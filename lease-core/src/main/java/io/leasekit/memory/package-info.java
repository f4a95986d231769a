/** A lease store in memory, for users' own tests. */
@NullMarked
package io.leasekit.memory;

import org.jspecify.annotations.NullMarked;
