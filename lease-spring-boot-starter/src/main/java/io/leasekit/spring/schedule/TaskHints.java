package io.leasekit.spring.schedule;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.scheduling.config.ScheduledTask;

/** Lets {@link FiringTasks} and {@link ErrorHandlers} read their fields of Spring in native images. */
final class TaskHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection().registerType(ScheduledTask.class, type -> type.withField(FiringTasks.FUTURE));
        hints.reflection()
                .registerTypeIfPresent(classLoader, FiringTasks.WRAPPER, type -> type.withField(FiringTasks.WRAPPED));
        ErrorHandlers.SCHEDULERS.forEach(
                scheduler -> hints.reflection().registerType(scheduler, type -> type.withField(ErrorHandlers.HANDLER)));
    }
}
