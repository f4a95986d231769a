/** Keys with placeholders and expressions. They are split and checked at start-up, and evaluated once for each call. */
@NullMarked
package io.leasekit.spring.key;

import org.jspecify.annotations.NullMarked;
