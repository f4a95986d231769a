package io.leasekit.time;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of timers (Williams, Algorithm 232 "Heapsort", 1964); equal due times keep the order of insertion. Each
 * timer knows its position, so a cancelled timer is removed without a search. Not thread-safe.
 */
final class TimerHeap {

    private static final int SMALLEST = 16;

    private @Nullable Entry[] entries = new Entry[SMALLEST];
    private int size;
    private long added;

    /**
     * A timer and its task are one object to save memory: thousands of waiters can each have a timer. Any thread may
     * run or cancel a timer; a lock of the heap's user guards all fields except {@code task}.
     */
    static final class Entry implements EngineTime.Timer {

        private static final int NOWHERE = -1;

        private final long due;
        private long order;
        private int place = NOWHERE;
        private final Consumer<Entry> onCancelled;
        // Null once the timer runs or is cancelled, so that the timer keeps no lease in memory.
        private volatile @Nullable Runnable task;

        /** {@code due}: monotonic time in nanoseconds, within 146 years of the due times of all other timers. */
        Entry(long due, Runnable task, Consumer<Entry> onCancelled) {
            this.due = due;
            this.task = task;
            this.onCancelled = onCancelled;
        }

        long due() {
            return due;
        }

        void run() {
            Runnable step = task;
            task = null;
            if (step != null) {
                step.run();
            }
        }

        @Override
        public void cancel() {
            if (task != null) {
                task = null;
                onCancelled.accept(this);
            }
        }

        private boolean isBefore(Entry other) {
            return due == other.due ? order < other.order : due - other.due < 0;
        }
    }

    int size() {
        return size;
    }

    @Nullable
    Entry first() {
        return entries[0];
    }

    /** The timer must not be in a heap yet. */
    void add(Entry entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        entry.order = added++;
        up(size++, entry);
    }

    void remove(Entry entry) {
        int place = entry.place;
        if (place == Entry.NOWHERE) {
            return;
        }
        entry.place = Entry.NOWHERE;
        Entry last = at(--size);
        entries[size] = null;
        if (!last.equals(entry)) {
            down(place, last);
            if (last.place == place) {
                up(place, last);
            }
        }
        if (entries.length > SMALLEST && size < entries.length / 4) {
            entries = Arrays.copyOf(entries, entries.length / 2);
        }
    }

    private void up(int from, Entry entry) {
        int place = from;
        while (place > 0 && entry.isBefore(at((place - 1) / 2))) {
            put(place, at((place - 1) / 2));
            place = (place - 1) / 2;
        }
        put(place, entry);
    }

    private void down(int from, Entry entry) {
        int place = from;
        for (int child = earlierChild(place); child < size && at(child).isBefore(entry); child = earlierChild(place)) {
            put(place, at(child));
            place = child;
        }
        put(place, entry);
    }

    /** Returns {@code size} or more if there is no child. */
    private int earlierChild(int place) {
        int left = 2 * place + 1;
        return left + 1 < size && at(left + 1).isBefore(at(left)) ? left + 1 : left;
    }

    private Entry at(int place) {
        Entry entry = entries[place];
        if (entry == null) {
            throw new IllegalStateException("No timer at place " + place + " of " + size);
        }
        return entry;
    }

    private void put(int place, Entry entry) {
        entries[place] = entry;
        entry.place = place;
    }
}
