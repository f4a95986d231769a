/** Keys with placeholders and expressions: split, checked at start-up, and evaluated once per call. */
@NullMarked
package io.leasekit.spring.key;

import org.jspecify.annotations.NullMarked;
