/** Helpers shared by the packages of the library. Not for users: anything here may change in any release. */
@NullMarked
package io.leasekit.internal;

import org.jspecify.annotations.NullMarked;
