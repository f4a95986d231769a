/** Shared by the packages of this library; no part of its API. */
@NullMarked
package io.leasekit.internal;

import org.jspecify.annotations.NullMarked;
