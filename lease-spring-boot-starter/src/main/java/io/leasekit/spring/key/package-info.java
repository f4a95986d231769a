/**
 * Keys with placeholders and expressions. Leasekit parses and checks each key at start-up, and evaluates its
 * expressions once for each call.
 */
@NullMarked
package io.leasekit.spring.key;

import org.jspecify.annotations.NullMarked;
