package net.javacrumbs.shedlock.core;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** The place of the annotation in old versions of ShedLock. */
@Retention(RetentionPolicy.RUNTIME)
public @interface SchedulerLock {}
