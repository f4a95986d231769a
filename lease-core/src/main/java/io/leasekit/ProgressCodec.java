package io.leasekit;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Converts the values of a {@link Progress} to bytes, and bytes to values. During a rollout, the next holder may run an
 * older or a newer version of the work. So each version must be able to decode the values of the other. Implementations
 * must be thread-safe.
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
     * Returns the value of these bytes.
     *
     * @throws Exception if the bytes cannot be decoded; the caller gets a {@link ProgressException} with this cause
     */
    T decode(byte[] data) throws Exception;

    /** Returns a codec that leaves bytes unchanged. */
    static ProgressCodec<byte[]> bytes() {
        return new ProgressCodec<>() {
            @Override
            public byte[] encode(byte[] value) {
                return value.clone();
            }

            @Override
            public byte[] decode(byte[] data) {
                return data;
            }
        };
    }

    /** Returns a codec that encodes integers as decimal text. */
    static ProgressCodec<Integer> integers() {
        return numbers(Integer::valueOf);
    }

    /** Returns a codec that encodes long integers as decimal text. */
    static ProgressCodec<Long> longs() {
        return numbers(Long::valueOf);
    }

    /** Returns a codec that encodes text in UTF-8. */
    static ProgressCodec<String> text() {
        return new ProgressCodec<>() {
            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] data) {
                return new String(data, StandardCharsets.UTF_8);
            }
        };
    }

    private static <T extends Number> ProgressCodec<T> numbers(Function<String, T> parse) {
        ProgressCodec<String> text = text();
        return new ProgressCodec<>() {
            @Override
            public byte[] encode(T value) throws Exception {
                return text.encode(value.toString());
            }

            @Override
            public T decode(byte[] data) throws Exception {
                return parse.apply(text.decode(data));
            }
        };
    }
}
