/**
 * Keys with placeholders and expressions. Each key is split and checked at start-up, and its expressions are evaluated
 * once for each call.
 */
@NullMarked
package io.leasekit.spring.key;

import org.jspecify.annotations.NullMarked;
