package io.leasekit;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Converts the values of a {@link Progress} to bytes, and bytes to values. While a new version of the application is
 * rolled out, the next holder may run an older or a newer version of the work. Old and new versions of the work must
 * therefore be able to decode each other's values. Implementations must be thread-safe.
 *
 * @param <T> the type of the values
 */
public interface ProgressCodec<T> {

    /**
     * Returns the bytes of the value, at most {@link Progress#MAX_BYTES}.
     *
     * @throws Exception if the value cannot be encoded; the caller gets a {@link ProgressException} with this cause
     */
    byte[] encode(T value) throws Exception;

    /**
     * Returns the value that these bytes encode.
     *
     * @throws Exception if the bytes cannot be decoded; the caller gets a {@link ProgressException} with this cause
     */
    T decode(byte[] data) throws Exception;

    /**
     * A conversion that may throw an exception.
     *
     * @param <A> the type of the value to convert
     * @param <B> the type of the result
     */
    @FunctionalInterface
    interface Conversion<A, B> {
        B convert(A value) throws Exception;
    }

    /** Returns a codec that uses these two functions, for example two methods of a JSON mapper. */
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

    /** Returns a codec that leaves bytes unchanged. */
    static ProgressCodec<byte[]> bytes() {
        return of(byte[]::clone, data -> data);
    }

    /** Returns a codec that encodes integers as decimal text. */
    static ProgressCodec<Integer> integers() {
        return texts(Object::toString, Integer::valueOf);
    }

    /** Returns a codec that encodes long integers as decimal text. */
    static ProgressCodec<Long> longs() {
        return texts(Object::toString, Long::valueOf);
    }

    /** Returns a codec that encodes text in UTF-8. */
    static ProgressCodec<String> text() {
        return texts(text -> text, text -> text);
    }

    private static <T> ProgressCodec<T> texts(Function<T, String> text, Function<String, T> parse) {
        return of(
                value -> text.apply(value).getBytes(StandardCharsets.UTF_8),
                data -> parse.apply(new String(data, StandardCharsets.UTF_8)));
    }
}
