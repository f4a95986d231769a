/**
 * The checks at start-up: {@code AnnotatedBeans} refuses annotations that would have no effect, because Spring calls the bean
 * itself, and {@code UnguardedBeans} beans that are not advised. {@code SelfCalls}, {@code ScheduleAdvice} and
 * {@code SharingBeans} warn.
 */
@NullMarked
package io.leasekit.spring.check;

import org.jspecify.annotations.NullMarked;
