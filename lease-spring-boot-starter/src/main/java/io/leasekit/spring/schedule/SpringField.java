package io.leasekit.spring.schedule;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.SpringVersion;
import org.springframework.util.ReflectionUtils;

/**
 * A private field of Spring, for information that its API does not give. Another version may lack it. Immutable, so
 * thread-safe.
 */
final class SpringField {

    private static final Logger log = LoggerFactory.getLogger(SpringField.class);

    private final @Nullable Field field;

    private SpringField(@Nullable Field field) {
        this.field = field;
    }

    /**
     * Finds the field, and logs a warning if it cannot be read. So keep the result.
     *
     * @param consequence the consequence of a missing field, for the warning
     */
    static SpringField find(Class<?> type, String name, String consequence) {
        Field found = ReflectionUtils.findField(type, name);
        if (found != null && found.trySetAccessible()) {
            return new SpringField(found);
        }
        log.warn(
                "Field '{}' of {} cannot be read, expected as in Spring 6.2 and 7.0, found Spring {}: {}",
                name,
                type.getName(),
                SpringVersion.getVersion(),
                consequence);
        return new SpringField(null);
    }

    boolean isReadable() {
        return field != null;
    }

    /** Returns the value; {@code null} also if the field cannot be read. */
    @Nullable
    Object valueIn(Object owner) {
        return field == null ? null : ReflectionUtils.getField(field, owner);
    }
}
