/** The health of leases on Spring Boot 3.5. Inactive on Spring Boot 4, where the starter itself shows the health. */
@NullMarked
package io.leasekit.spring.boot3;

import org.jspecify.annotations.NullMarked;
