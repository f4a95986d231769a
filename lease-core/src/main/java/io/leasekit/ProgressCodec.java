package io.leasekit;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Converts the values of a {@link Progress} to bytes, and bytes to values. A later version of the work must be able to
 * decode values of an earlier one, and the other way round: during a rollout, the next holder may run either version.
 * Must be thread-safe.
 *
 * @param <T> the type of the values
 */
public interface ProgressCodec<T> {

    /**
     * Returns the bytes of the value, at most {@link Progress#MAX_BYTES}.
     *
     * @throws Exception if it cannot; the caller gets a {@link ProgressException} with it
     */
    byte[] encode(T value) throws Exception;

    /**
     * Returns the value of these bytes.
     *
     * @throws Exception if it cannot; the caller gets a {@link ProgressException} with it
     */
    T decode(byte[] data) throws Exception;

    /** A conversion that may fail. */
    @FunctionalInterface
    interface Conversion<A, B> {
        B convert(A value) throws Exception;
    }

    /** Returns the codec of these two conversions, such as those of a JSON mapper. */
    static <T> ProgressCodec<T> of(Conversion<T, byte[]> encode, Conversion<byte[], T> decode) {
        return new ProgressCodec<>() {
            @Override
            public byte[] encode(T value) throws Exception {
                return encode.convert(value);
            }

            @Override
            public T decode(byte[] data) throws Exception {
                return decode.convert(data);
            }
        };
    }

    /** Returns the codec of bytes, which are taken as they are. */
    static ProgressCodec<byte[]> bytes() {
        return of(byte[]::clone, data -> data);
    }

    /** Returns the codec of integers, as decimal texts. */
    static ProgressCodec<Integer> integers() {
        return texts(Object::toString, Integer::valueOf);
    }

    /** Returns the codec of long integers, as decimal texts. */
    static ProgressCodec<Long> longs() {
        return texts(Object::toString, Long::valueOf);
    }

    /** Returns the codec of texts, in UTF-8. */
    static ProgressCodec<String> text() {
        return texts(text -> text, text -> text);
    }

    private static <T> ProgressCodec<T> texts(Function<T, String> text, Function<String, T> parse) {
        return of(
                value -> text.apply(value).getBytes(StandardCharsets.UTF_8),
                data -> parse.apply(new String(data, StandardCharsets.UTF_8)));
    }
}
