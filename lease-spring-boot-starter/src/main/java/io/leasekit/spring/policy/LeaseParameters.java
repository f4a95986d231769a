package io.leasekit.spring.policy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a method that receive the lease and its progress if the caller passes {@code null}. Thread-safe.
 */
@Internal
public final class LeaseParameters {

    private final int lease; // the index of the parameter; -1 if there is none
    private final int progress;
    private final @Nullable ProgressCodec<?> codec;
    private final boolean resumable;

    private LeaseParameters(int lease, int progress, @Nullable ProgressCodec<?> codec, boolean resumable) {
        this.lease = lease;
        this.progress = progress;
        this.codec = codec;
        this.resumable = resumable;
    }

    /** {@code codec} is {@code null} if the method has no parameter for progress. */
    public static LeaseParameters of(Method method, @Nullable ProgressCodec<?> codec, boolean resumable) {
        return new LeaseParameters(index(method, Lease.class), index(method, Progress.class), codec, resumable);
    }

    private static int index(Method method, Class<?> type) {
        return Arrays.asList(method.getParameterTypes()).indexOf(type);
    }

    static long count(Method method, Class<?> type) {
        return Arrays.stream(method.getParameterTypes())
                .filter(each -> each == type)
                .count();
    }

    /** Returns the indexes of the arguments that were {@code null} before this method set them. */
    public List<Integer> set(@Nullable Object[] arguments, Lease held) {
        List<Integer> set = new ArrayList<>(2);
        if (lease >= 0 && arguments[lease] == null) {
            arguments[lease] = held;
            set.add(lease);
        }
        if (codec != null && arguments[progress] == null) {
            arguments[progress] = held.progress(codec);
            set.add(progress);
        }
        return set;
    }

    /** A nested call that saves progress may join only a resumable lease. */
    public void refuseWithoutProgress(String method, Lease held, @Nullable Object[] arguments) {
        if (!resumable && (codec == null || arguments[progress] != null)) {
            return;
        }
        try {
            var unused = held.progress();
        } catch (IllegalStateException e) {
            throw new LeaseException(
                    "Method '" + method + "' saves its progress, but was called within a call that holds "
                            + Text.quoteAll(held.keys())
                            + " without progress. Set 'resumable' on the outer method too, or give one of the two leases"
                            + " another key",
                    e);
        }
    }
}
