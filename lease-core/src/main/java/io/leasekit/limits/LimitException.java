package io.leasekit.limits;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/** Thrown if a setting or a value of a request is outside its limit. */
@Internal
public final class LimitException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final transient @Nullable Object value;
    private final String expected;

    LimitException(String name, @Nullable Object value, String where, String expected) {
        super(name + " is " + Text.value(value) + where + ", expected " + expected);
        this.name = name;
        this.value = value;
        this.expected = expected;
    }

    public String name() {
        return name;
    }

    public @Nullable Object value() {
        return value;
    }

    public String expected() {
        return expected;
    }
}
