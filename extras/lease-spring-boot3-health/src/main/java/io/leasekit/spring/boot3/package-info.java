/**
 * The health contributor of leases on Spring Boot 3.5. It is inactive on Spring Boot 4, because the starter itself
 * provides the health contributor there.
 */
@NullMarked
package io.leasekit.spring.boot3;

import org.jspecify.annotations.NullMarked;
