/** The methods with {@link io.leasekit.spring.LeaderOnly}, and their elections. */
@NullMarked
package io.leasekit.spring.leader;

import org.jspecify.annotations.NullMarked;
