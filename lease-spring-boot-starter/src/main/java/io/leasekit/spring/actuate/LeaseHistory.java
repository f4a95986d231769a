package io.leasekit.spring.actuate;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last events of the keys that were active last. Keeps {@value #ENTRIES} events for each of {@value #KEYS} keys.
 * Thread-safe.
 */
final class LeaseHistory {

    static final int KEYS = 500;
    static final int ENTRIES = 20;

    private final ReentrantLock lock = new ReentrantLock();

    // guarded by lock; in the order of the last event
    private final Map<String, Deque<Entry>> byKey = new LinkedHashMap<>(16, 0.75f, true);

    /** An event of a key. */
    record Entry(
            Instant at,
            String event,
            @Nullable String owner,
            long fencingToken,
            @Nullable String detail) {}

    void add(String key, Entry entry) {
        lock.lock();
        try {
            Deque<Entry> entries = byKey.computeIfAbsent(key, added -> new ArrayDeque<>());
            entries.addLast(entry);
            if (entries.size() > ENTRIES) {
                entries.removeFirst();
            }
            if (byKey.size() > KEYS) {
                byKey.remove(byKey.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Adds the entry if the newest one of the key has another token. */
    void addIfNew(String key, Entry entry) {
        lock.lock();
        try {
            Deque<Entry> entries = byKey.get(key);
            if (entries == null || entries.getLast().fencingToken() != entry.fencingToken()) {
                add(key, entry);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the events of a key, oldest first. */
    List<Entry> of(String key) {
        lock.lock();
        try {
            Deque<Entry> entries = byKey.get(key);
            return entries == null ? List.of() : List.copyOf(entries);
        } finally {
            lock.unlock();
        }
    }

    boolean knows(String key) {
        lock.lock();
        try {
            return byKey.containsKey(key);
        } finally {
            lock.unlock();
        }
    }
}
