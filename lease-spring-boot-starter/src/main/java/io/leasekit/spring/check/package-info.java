/**
 * Checks at startup whether annotated methods will run under their leases. {@code AnnotatedBeans} refuses annotations
 * that would have no effect because Spring calls the bean itself, not its proxy. {@code AnnotatedBeans} also refuses
 * beans that a scheduler or listener container would get without their proxies. {@code UnguardedBeans} refuses
 * annotated beans to which the lease advice does not apply. {@code OtherContexts} refuses annotated beans of a context
 * without Leasekit's auto-configuration. {@code ScheduleAdvice} and {@code SharingBeans} only log warnings.
 * {@code SelfCalls} warns of calls on {@code this}, and refuses tasks that call an annotated method on {@code this}.
 */
@NullMarked
package io.leasekit.spring.check;

import org.jspecify.annotations.NullMarked;
