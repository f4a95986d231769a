/**
 * The schedules of methods with {@code @Scheduled}: their firings, slots and failures. A {@code FiringTask} wraps each
 * task of Spring, and binds a {@code Firing} to the thread that runs the task.
 */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
