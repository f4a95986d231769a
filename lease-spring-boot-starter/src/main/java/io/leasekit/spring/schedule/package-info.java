/** The trigger of a scheduled method: its firings, and the slots of its cron expression. */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
