/** Input of fuzz tests. Each test is in the package of the code that it calls. */
@NullMarked
package io.leasekit.fuzz;

import org.jspecify.annotations.NullMarked;
