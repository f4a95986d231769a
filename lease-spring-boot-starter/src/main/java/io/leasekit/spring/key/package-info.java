/** Keys of annotated methods, with placeholders and expressions. */
@NullMarked
package io.leasekit.spring.key;

import org.jspecify.annotations.NullMarked;
