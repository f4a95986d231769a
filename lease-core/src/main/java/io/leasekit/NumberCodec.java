package io.leasekit;

import java.util.function.Function;

/** The codec of numbers, as decimal texts that people can read in the table. Immutable, so thread-safe. */
final class NumberCodec<T extends Number> implements ProgressCodec<T> {

    private static final ProgressCodec<String> TEXT = ProgressCodec.text();

    private final Function<String, T> parse;

    NumberCodec(Function<String, T> parse) {
        this.parse = parse;
    }

    @Override
    public byte[] encode(T value) throws Exception {
        return TEXT.encode(value.toString());
    }

    @Override
    public T decode(byte[] data) throws Exception {
        return parse.apply(TEXT.decode(data));
    }
}
