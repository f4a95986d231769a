/**
 * The schedules of methods with {@code @Scheduled}: the firings, their slots and their failures.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code LeaseSchedule} is the schedule of one method, read from its annotation. {@code LeaseOnce} of the package
 *       {@code policy} asks it at each call.
 *   <li>The firing: {@code Firings} puts a {@code FiringScheduler} between Spring's registrar and its scheduler, which passes each
 *       task on as a {@code FiringTask}. This stands in front of the runnable and of the trigger. It notes the times that the trigger
 *       returns, and puts a {@code Firing} on the thread of the runnable. {@code CalledMethod} is the method that the task calls, by
 *       the text of the task, read when it is scheduled.
 *   <li>The outcome: {@code LeaseCalls}, {@code LeaseCall} and {@code RunWaiter} of the package {@code call} note it in the
 *       {@code Firing} as a {@code FiringOutcome}. The task remembers its last firings, for the endpoint.
 *   <li>The slot: a {@code Firing} selects it from the {@code CronSlots} of its trigger.
 *   <li>The start: {@code CatchUp} fires the newest slot at whose time no node was up.
 *   <li>The failure: if a firing fails because the store fails, {@code Firing} logs one line in place of Spring's stack trace, unless
 *       {@code ErrorHandlers} shows that an error handler of the application may get the exception.
 *   <li>The run that another node has not finished: {@code JobSchedulers} starts it on the scheduler of the method.
 *   <li>{@code TaskHolders} finds the tasks that Spring shows, for other packages.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
