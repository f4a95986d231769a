/** The threads of a manager, and the classes that run tasks on these threads. */
@NullMarked
package io.leasekit.threads;

import org.jspecify.annotations.NullMarked;
