package io.leasekit.benchmarks;

/**
 * One critical section, in microseconds of the wall clock.
 *
 * @param who number of the thread or process
 * @param asked start of the acquire
 * @param begun end of the acquire
 * @param ended end of the work
 * @param released end of the release
 */
record Section(int who, long asked, long begun, long ended, long released) {

    /** Acquires the lock, works and releases the lock. */
    static Section run(int who, Locks locks, String key, long workMillis) throws Exception {
        long asked = Work.micros();
        Locks.Held held = locks.acquire(key);
        long begun = Work.micros();
        Work.pause(workMillis);
        long ended = Work.micros();
        held.release();
        return new Section(who, asked, begun, ended, Work.micros());
    }

    String line() {
        return asked + " " + begun + " " + ended + " " + released;
    }

    static Section parse(int who, String line) {
        String[] parts = line.split(" ", -1);
        return new Section(
                who,
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]));
    }
}
