/**
 * The schedules of methods with {@code @Scheduled}: the firings, their slots and their failures.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code LeaseSchedule} is the schedule of one method, read from its annotation. {@code LeaseOnce} of the package
 *       {@code policy} asks it at each call.
 *   <li>The firing: {@code FiringStack} tells it from a call by other code, by the stack of the thread.
 *   <li>The slot: {@code TaskSlots} has the slots of the tasks by which Spring fires the method. {@code FiringTasks} looks up
 *       these tasks, in the beans that {@code TaskHolders} finds, and selects the one that has fired. {@code CronSlots} are the
 *       slots of one cron expression, and {@code FiringSlots} those of several tasks.
 *   <li>The failure: {@code FiringFailures} puts a {@code FiringScheduler} around Spring's scheduler. If a firing fails because
 *       the store fails, it logs one line in place of Spring's stack trace, unless {@code ErrorHandlers} shows that an error
 *       handler of the application may get the exception. {@code FiringFailures} also shows {@code FiringTasks} which task the
 *       thread runs.
 *   <li>The run that another node has not finished: {@code JobSchedulers} starts it on the scheduler of the method.
 *   <li>{@code SpringField} reads private fields of Spring, for {@code FiringTasks} and {@code ErrorHandlers}. {@code TaskHints}
 *       names these fields for native images.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.schedule;

import org.jspecify.annotations.NullMarked;
