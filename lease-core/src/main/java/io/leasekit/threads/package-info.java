/**
 * The threads of a manager, and the classes that run tasks on the threads. {@code EngineThreads} creates the threads. A
 * {@code Mailbox} runs the steps of one lease or key one at a time. The {@code Sender} calls the store. {@code Losses}
 * runs the callbacks for lost leases.
 */
@NullMarked
package io.leasekit.threads;

import org.jspecify.annotations.NullMarked;
