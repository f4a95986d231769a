package io.leasekit.time;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Timers in the order of their times; those of the same time in the order in which they were added. A binary heap in which
 * each timer knows its place, so a cancelled timer is removed without a search (J. W. J. Williams, "Algorithm 232:
 * Heapsort", 1964). Not thread-safe.
 */
final class TimerHeap {

    private static final int SMALLEST = 16;

    private @Nullable Entry[] entries = new Entry[SMALLEST];
    private int size;
    private long added;

    /**
     * A timer and its task in one object, because each of thousands of waiters has one. It is in one heap at most. The heap
     * does not guard it; only the task may be touched by any thread.
     */
    static final class Entry implements EngineTime.Timer {

        private static final int NOWHERE = -1;

        private final long due;
        private long order; // among those of the same time
        private int place = NOWHERE;
        private final Consumer<Entry> onCancelled;
        private volatile @Nullable Runnable task; // null once it runs or is cancelled: a timer may outlive its lease

        /** {@code due}: in nanoseconds of the monotonic clock, within 146 years of all others in the heap. */
        Entry(long due, Runnable task, Consumer<Entry> onCancelled) {
            this.due = due;
            this.task = task;
            this.onCancelled = onCancelled;
        }

        long due() {
            return due;
        }

        /** Runs the task unless it has run or was cancelled. */
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

    /** Returns the timer that is due first; {@code null}: there is none. */
    @Nullable
    Entry first() {
        return entries[0];
    }

    /** Adds a timer that is in no heap. */
    void add(Entry entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        entry.order = added++;
        up(size++, entry);
    }

    /** Removes the timer if it is here. */
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

    /** Returns the place of the child that is due first; at least {@code size} if there is none. */
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
