package io.leasekit.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Choices made by the bytes of an input, so a fuzzer that changes bytes changes choices. Once the bytes are used up, each
 * choice is the first one, so every input has an end. Not thread-safe.
 *
 * <p>The code of a target is in a class of its own, because JUnit loads what the methods of a test class name. Jazzer would have
 * to change these classes after they were loaded, and JDK 17 breaks records with annotated types then.
 */
public final class Draws {

    /** Numbers at the edges of types and times. */
    private static final List<Long> EDGES = List.of(
            0L,
            1L,
            -1L,
            999L,
            1_000L,
            1_800_000_000L,
            1_800_000_000_000L,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            Long.MIN_VALUE + 1,
            Long.MAX_VALUE / 1_000,
            Long.MAX_VALUE / 1_000_000_000,
            Long.MAX_VALUE / 4,
            31_556_889_864_403_199L, // the last second of Instant
            -31_557_014_167_219_200L, // the first one
            9_000_000_000_000L,
            (long) Integer.MAX_VALUE);

    private final byte[] data;
    private int at;

    public Draws(byte[] data) {
        this.data = data;
    }

    /** Passes so many inputs to a target: the same ones in each build. */
    public static void deterministic(int inputs, Consumer<byte[]> target) {
        Random random = new Random(7);
        for (int i = 0; i < inputs; i++) {
            byte[] data = new byte[random.nextInt(300)];
            random.nextBytes(data);
            try {
                target.accept(data);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("Input " + i + ": " + Arrays.toString(data), e);
            }
        }
    }

    /** Returns a number from 0, below the bound, which is at most 256. */
    public int below(int bound) {
        return at < data.length ? (data[at++] & 0xff) % bound : 0;
    }

    public boolean oneOf(int chances) {
        return below(chances) == chances - 1;
    }

    @SafeVarargs
    public final <T> T of(T... choices) {
        return choices[below(choices.length)];
    }

    public <T> T of(List<T> choices) {
        return choices.get(below(choices.size()));
    }

    /** Returns an edge, a number near one, a small number, or any. */
    public long number() {
        return switch (below(4)) {
            case 0 -> EDGES.get(below(EDGES.size()));
            case 1 -> EDGES.get(below(EDGES.size())) + below(256) - 128;
            case 2 -> below(256);
            default -> IntStream.range(0, 8).mapToLong(i -> below(256)).reduce(0, (sum, next) -> sum << 8 | next);
        };
    }

    /** Returns bytes, in most cases few. */
    public byte[] bytes() {
        int length = Math.min(below(256), data.length - at);
        at += length;
        return Arrays.copyOfRange(data, at - length, at);
    }

    /** Returns any text, also one with control characters or half a surrogate pair. */
    public String text() {
        return below(4) == 3
                ? new String(bytes(), StandardCharsets.UTF_16)
                : new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Returns up to so many of these texts, joined, with other text between them now and then. */
    public String joined(int most, List<String> texts) {
        StringBuilder joined = new StringBuilder();
        for (int left = below(most + 1); left > 0; left--) {
            joined.append(oneOf(8) ? text() : of(texts));
        }
        return joined.toString();
    }
}
