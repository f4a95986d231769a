/** Types that packages of the core, or the core and the starter, share. Not for users: anything here may change in any release. */
@NullMarked
package io.leasekit.internal;

import org.jspecify.annotations.NullMarked;
