package io.leasekit.storm;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The history of one process: a file to which lines are only appended. Each line is one write, so a process that is killed
 * leaves complete lines, save perhaps the last one. Thread-safe.
 */
final class History implements AutoCloseable {

    static final String SUFFIX = ".history.jsonl";

    /** Of the requests for one key, which the judge does not read. */
    static final String TRACE = ".trace.jsonl";

    private final ReentrantLock lock = new ReentrantLock();
    private final OutputStream file; // guarded by lock

    private History(OutputStream file) {
        this.file = file;
    }

    /** Opens the history of the process with this name. */
    static History open(Path folder, String process) {
        return open(folder.resolve(process + SUFFIX));
    }

    static History openTrace(Path folder, String process) {
        return open(folder.resolve(process + TRACE));
    }

    private static History open(Path file) {
        try {
            // not by a channel, which an interrupt of a writing leader would close
            return new History(new FileOutputStream(file.toFile(), true));
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
