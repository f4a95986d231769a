package io.leasekit.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Holds several {@link DistributedLease} of one place, as the compiler writes it for them. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLeases {

    /** The annotations, each with a key of its own and otherwise alike. */
    DistributedLease[] value();
}
