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

    /** Returns the codec of bytes, which are taken as they are. */
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

    /** Returns the codec of integers, as decimal texts. */
    static ProgressCodec<Integer> integers() {
        return numbers(Integer::valueOf);
    }

    /** Returns the codec of long integers, as decimal texts. */
    static ProgressCodec<Long> longs() {
        return numbers(Long::valueOf);
    }

    /** Returns the codec of texts, in UTF-8. */
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
