package io.leasekit.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A class of this class path in a separate JVM. All have the same options, a small heap and the serial collector, so
 * that eight of them fit. The parent reads its standard output line by line. It ends with this process, however that
 * ends.
 */
final class ChildJvm implements AutoCloseable {

    private static final long STOP_SECONDS = 10;

    private final Process process;
    private final String name;
    private final BufferedReader output;
    private volatile @Nullable Duration stoppedAfter;

    private ChildJvm(Process process, String name) {
        this.process = process;
        this.name = name;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    static ChildJvm start(Class<?> main, List<String> options, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:+UseSerialGC");
        command.addAll(options);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(args);
        try {
            return new ChildJvm(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start(),
                    main.getSimpleName() + " " + args);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start " + main.getName(), e);
        }
    }

    /** Stops the process after this time, so that nobody waits for it without end. */
    ChildJvm within(Duration limit) {
        CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> {
                    if (process.isAlive()) {
                        stoppedAfter = limit;
                        process.destroyForcibly();
                    }
                });
        return this;
    }

    /** Waits for a line with this prefix and returns the rest of it. */
    String await(String prefix) {
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(prefix)) {
                    return line.substring(prefix.length()).trim();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Duration limit = stoppedAfter;
        throw new IllegalStateException("Process " + name + " ended before it printed '" + prefix + "'"
                + (limit == null ? "" : ": it was stopped at its time limit of " + limit));
    }

    /** Sends a line to the standard input of the process. */
    void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In the child: exits at the end of standard input, which is when the parent ends. */
    static void endWithParent() {
        endWithParent(() -> System.in.transferTo(OutputStream.nullOutputStream()));
    }

    /** In the child: hands each line from the parent to the action, and exits at the end of standard input. */
    static void onLines(Consumer<String> action) {
        endWithParent(() -> new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                .lines()
                .forEach(action));
    }

    private interface Reading {
        void toTheEnd() throws IOException;
    }

    private static void endWithParent(Reading input) {
        Thread watch = new Thread(
                () -> {
                    try {
                        input.toTheEnd();
                    } catch (IOException | UncheckedIOException e) {
                        // a broken pipe also means the end
                    }
                    Runtime.getRuntime().halt(0);
                },
                "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** In the child: waits for a line from the parent. */
    static void awaitLine() {
        try {
            for (int read = System.in.read(); read != '\n'; read = System.in.read()) {
                if (read < 0) {
                    Runtime.getRuntime().halt(0);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException e) {
            // the process has ended
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
