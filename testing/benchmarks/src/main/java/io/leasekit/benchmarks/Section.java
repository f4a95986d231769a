package io.leasekit.benchmarks;

/**
 * One critical section, in microseconds of the wall clock.
 *
 * @param who which thread or process
 * @param asked when it asked
 * @param begun when it had the lock
 * @param ended when its work was done
 * @param released when it had given the lock back
 */
record Section(int who, long asked, long begun, long ended, long released) {

    /** Asks, works, gives back. */
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
