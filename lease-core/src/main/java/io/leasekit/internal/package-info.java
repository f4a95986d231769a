/** Internal types that packages of the core share with each other or with the starter. */
@NullMarked
package io.leasekit.internal;

import org.jspecify.annotations.NullMarked;
