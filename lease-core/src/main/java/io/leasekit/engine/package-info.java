/** The engine behind {@link io.leasekit.LeaseManager}. */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
