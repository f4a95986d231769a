/**
 * The schedules of methods with {@code @Scheduled}: their firings, slots and failures.
 *
 * <ol>
 *   <li>{@code LeaseSchedule} is the schedule of one method, read from its annotation. {@code LeaseOnce} in package
 *       {@code policy} uses the schedule at each call.
 *   <li>Firing: {@code Firings} puts a {@code FiringScheduler} between Spring's registrar and the scheduler. The
 *       {@code FiringScheduler} wraps each task, both the runnable and the trigger, in a {@code FiringTask}. The
 *       {@code FiringTask} records the times that the trigger returns, and binds a {@code Firing} to the thread that
 *       runs the runnable. {@code CalledMethod} is the method that the task calls, read from the text of the task when
 *       the task is scheduled.
 *   <li>Outcome: {@code CallStart}, {@code LeaseCall} and {@code RunWaiter} in package {@code call} set the
 *       {@code FiringOutcome} of the {@code Firing}. The task keeps its last firings, for the endpoint.
 *   <li>Slot (a time of the cron expression): a {@code Firing} selects its slot from the {@code CronSlots} of its
 *   trigger.
 *   <li>Startup: {@code CatchUp} fires the method for its newest slot after startup, if no node has executed the run of
 *   that slot.
 *   <li>Failure: if a firing fails because the store fails, {@code Firing} logs one line instead of Spring's stack
 *       trace. However, if {@code ErrorHandlers} finds that an error handler of the application may get the exception,
 *       {@code Firing} rethrows it.
 *   <li>Unfinished run of another node: {@code JobSchedulers} starts the run on the scheduler of the method.
 *   <li>{@code TaskHolders} finds Spring's beans that hold the scheduled tasks. Other packages use {@code TaskHolders}.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
