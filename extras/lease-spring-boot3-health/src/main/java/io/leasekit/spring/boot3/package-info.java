/**
 * The health contributor for leases on Spring Boot 3.5. On Spring Boot 4, this module is inactive, because the starter
 * itself provides the health contributor.
 */
@NullMarked
package io.leasekit.spring.boot3;

import org.jspecify.annotations.NullMarked;
