/** Log lines that are limited in number. Not for users: anything here may change in any release. */
@NullMarked
package io.leasekit.log;

import org.jspecify.annotations.NullMarked;
