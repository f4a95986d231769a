package io.leasekit.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Container that the compiler generates for several {@link DistributedLease} annotations on one element. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface DistributedLeases {

    /** Returns the annotations. The annotations have distinct keys and agree in all other attributes. */
    DistributedLease[] value();
}
