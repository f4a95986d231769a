/**
 * The checks at start-up: {@code AnnotatedBeans} refuses annotations that would have no effect, because Spring calls the bean
 * itself, and objects that schedulers and listener containers would get without their proxy. {@code UnguardedBeans} refuses
 * beans that are not advised, and {@code OtherContexts} those of a context without the auto-configuration. {@code SelfCalls},
 * {@code ScheduleAdvice} and {@code SharingBeans} warn.
 */
@NullMarked
package io.leasekit.spring.check;

import org.jspecify.annotations.NullMarked;
