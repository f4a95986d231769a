/**
 * The schedules of methods with {@code @Scheduled}: their firings, slots and failures.
 *
 * <ol>
 *   <li>{@code LeaseSchedule} is the schedule of one method, read from its annotation. At each call of the method,
 *       {@code LeaseOnce} in package {@code policy} asks the {@code LeaseSchedule} for the firing and its slot.
 *   <li>Firing: {@code Firings} puts a {@code FiringScheduler} between Spring's registrar and the scheduler. The
 *       {@code FiringScheduler} wraps the runnable and the trigger of each task in a {@code FiringTask}. The
 *       {@code FiringTask} records the times that the trigger returns, and binds a {@code Firing} to the thread that
 *       runs the runnable. {@code CalledMethod} is the method that the task calls, read from the task's
 *       {@code toString} when the task is scheduled.
 *   <li>Outcome: {@code CallStart}, {@code LeaseCall} and {@code RunWaiter} in package {@code call} set the
 *       {@code FiringOutcome} of the {@code Firing}. Each {@code FiringTask} keeps its last firings, which the endpoint
 *       {@code leases} shows.
 *   <li>Slot: a {@code Firing} selects its slot (a time of the cron expression) from the {@code CronSlots} of its
 *       trigger.
 *   <li>Startup: {@code CatchUp} fires the method if no node has executed the run of the newest slot.
 *   <li>Failure: if a firing fails because the store fails, {@code Firing} logs one line instead of Spring's stack
 *       trace. If {@code ErrorHandlers} finds that the application may have its own error handler, {@code Firing}
 *       rethrows the store's exception.
 *   <li>If another node leaves a run unfinished, {@code JobSchedulers} starts it on the method's scheduler on this
 *       node.
 *   <li>{@code TaskHolders} finds Spring's beans that hold the scheduled tasks, for other packages as well.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
