package io.leasekit.storm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A place for one {@link StormNode} after the other: when one is killed, the next begins with a name and a history of its
 * own. Thread-safe.
 */
final class NodeProcess {

    private static final Duration END = Duration.ofMinutes(10);
    private static final Duration BEGIN = Duration.ofMinutes(10);
    private static final long LOOK_MILLIS = 50;

    private final String name;
    private final Path folder;
    private final int port;
    private final Link link;
    private final Broken broken;
    private final Map<String, String> environment;
    private final Random random;
    private final ReentrantLock lock = new ReentrantLock();
    private int started; // guarded by lock
    private Process process; // guarded by lock

    NodeProcess(
            String name,
            Path folder,
            int port,
            Link link,
            Broken broken,
            Map<String, String> environment,
            Random random)
            throws IOException {
        this.name = name;
        this.folder = folder;
        this.port = port;
        this.link = link;
        this.broken = broken;
        this.environment = environment;
        this.random = random;
        this.process = start();
    }

    private Process start() throws IOException {
        link.restart();
        String full = name + "-" + started++;
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StormNode.class.getName(),
                        "http://127.0.0.1:" + port,
                        folder.toString(),
                        full,
                        String.valueOf(random.nextLong()),
                        broken.name()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(full + ".log").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /**
     * Waits until the first process has been granted a lease.
     *
     * @throws IllegalStateException if it has not within ten minutes
     */
    void awaitFirstLease() throws IOException, InterruptedException {
        long limit = System.nanoTime() + BEGIN.toNanos();
        Path history = folder.resolve(name + "-0" + History.SUFFIX);
        while (!Files.exists(history) || !Files.readString(history).contains("granted")) {
            if (!isAlive() || System.nanoTime() - limit > 0) {
                throw new IllegalStateException("Process '" + name + "' does not begin; see " + folder);
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Kills the process by SIGKILL, and starts the next one. */
    void killAndRestart() throws IOException, InterruptedException {
        lock.lock();
        try {
            process.destroyForcibly().waitFor();
            process = start();
        } finally {
            lock.unlock();
        }
    }

    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        lock.lock();
        try {
            if (process.isAlive()) { // its id is not used again before it was awaited
                new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Asks the process to end. */
    void end() throws IOException {
        lock.lock();
        try {
            process.getOutputStream().close();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the end of the process.
     *
     * @throws IllegalStateException if it does not end by itself within ten minutes, or fails
     */
    void awaitEnd() throws InterruptedException {
        Process ending = process();
        if (!ending.waitFor(END.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Process '" + name + "' has not ended within " + END + "; see " + folder);
        }
        if (ending.exitValue() != 0) {
            throw new IllegalStateException(
                    "Process '" + name + "' ended with status " + ending.exitValue() + "; see " + folder);
        }
    }

    boolean isAlive() {
        return process().isAlive();
    }

    /** Kills the process without another one. */
    void kill() {
        process().destroyForcibly();
    }

    private Process process() {
        lock.lock();
        try {
            return process;
        } finally {
            lock.unlock();
        }
    }
}
