package io.leasekit.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Container for several {@link DistributedLease} annotations on one element, which the compiler adds to the class file.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLeases {

    /** Returns the annotations. The annotations have distinct keys and agree in all other attributes. */
    DistributedLease[] value();
}
