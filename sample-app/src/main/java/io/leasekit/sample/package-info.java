/** A Spring Boot application that uses the starter. */
@NullMarked
package io.leasekit.sample;

import org.jspecify.annotations.NullMarked;
