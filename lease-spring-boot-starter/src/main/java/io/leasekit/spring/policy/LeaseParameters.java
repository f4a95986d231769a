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
 * The parameters of a method that receive the lease and its progress if the caller passes {@code null}. A method has at
 * most one parameter of type {@code Lease} and one parameter of type {@code Progress}. Immutable, so thread-safe.
 */
@Internal
public final class LeaseParameters {

    private final int lease; // index of the parameter; -1: none
    private final int progress;
    private final @Nullable ProgressCodec<?> codec;
    private final boolean resumable;

    private LeaseParameters(int lease, int progress, @Nullable ProgressCodec<?> codec, boolean resumable) {
        this.lease = lease;
        this.progress = progress;
        this.codec = codec;
        this.resumable = resumable;
    }

    /**
     * Returns the parameters of a method. {@code codec} encodes the progress; {@code null} if the method has no
     * parameter for progress. {@code resumable} is true if the annotation declares that the method saves progress.
     */
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

    /**
     * Sets the lease and its progress as arguments where the caller has passed {@code null} for them, and returns the
     * indexes of these arguments.
     */
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

    /**
     * Checks that a nested call may join the lease of an outer call: if the nested call saves progress, the lease must
     * be resumable.
     *
     * @throws LeaseException if the lease is not resumable
     */
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
