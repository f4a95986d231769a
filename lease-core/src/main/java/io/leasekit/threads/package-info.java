/**
 * The threads of a manager, which {@code EngineThreads} creates, and the classes that run steps on these threads: a
 * {@code Mailbox} runs the steps of one lease or key one at a time, the {@code Sender} calls the store, and
 * {@code Losses} runs the callbacks for lost leases.
 */
@NullMarked
package io.leasekit.threads;

import org.jspecify.annotations.NullMarked;
