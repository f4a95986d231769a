/** A scheduled method's trigger: when it fires, and for which slot of its cron expression. */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
