package io.leasekit.storm;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The history of one process: a file to which lines are only appended. Each line is one write, so a process that is killed
 * leaves complete lines, save perhaps the last one. Thread-safe.
 */
final class History implements AutoCloseable {

    static final String SUFFIX = ".history.jsonl";

    private final ReentrantLock lock = new ReentrantLock();
    private final OutputStream file; // guarded by lock

    private History(OutputStream file) {
        this.file = file;
    }

    /** Opens the history of the process with this name. */
    static History open(Path folder, String process) {
        try {
            return new History(Files.newOutputStream(
                    folder.resolve(process + SUFFIX), StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void add(Event event) {
        byte[] line = (event + "\n").getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            file.write(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
