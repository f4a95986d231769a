/** Checks at startup whether annotated methods will run under their leases. */
@NullMarked
package io.leasekit.spring.check;

import org.jspecify.annotations.NullMarked;
