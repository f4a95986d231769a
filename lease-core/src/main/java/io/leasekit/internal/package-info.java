/**
 * Internal types that packages of the core share with each other or with the starter. All types of this package may
 * change in any release.
 */
@NullMarked
package io.leasekit.internal;

import org.jspecify.annotations.NullMarked;
