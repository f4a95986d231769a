/** What Spring Boot sets up by itself: a DynamoDB client of its own, the store, the manager and the advice. */
@NullMarked
package io.leasekit.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
