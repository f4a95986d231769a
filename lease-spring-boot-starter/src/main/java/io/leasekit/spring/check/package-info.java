/**
 * Checks at startup whether annotated methods will run under their leases. {@code AnnotatedBeans} refuses annotations
 * that would have no effect because Spring calls the bean itself, not its proxy. {@code AnnotatedBeans} also refuses a
 * bean that a scheduler or listener container would get without its proxy. {@code UnguardedBeans} refuses annotated
 * beans to which the lease advice does not apply. {@code OtherContexts} refuses annotated beans of a context without
 * the auto-configuration. {@code ScheduleAdvice} and {@code SharingBeans} only warn. {@code SelfCalls} warns of calls
 * on {@code this}, and refuses tasks that call an annotated method on {@code this}.
 */
@NullMarked
package io.leasekit.spring.check;

import org.jspecify.annotations.NullMarked;
