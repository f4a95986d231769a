/** The health of leases on Spring Boot 3.5; inert on Boot 4, where the starter itself shows it. */
@NullMarked
package io.leasekit.spring.boot3;

import org.jspecify.annotations.NullMarked;
