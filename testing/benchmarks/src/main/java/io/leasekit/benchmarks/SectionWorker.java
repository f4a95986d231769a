package io.leasekit.benchmarks;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * One process of {@link ProcessesRow}; prints its sections. Arguments: contender, endpoint, key, milliseconds, permits.
 * The warm-up is the same contention at another key, because a process that waits for others runs much code that an
 * uncontended acquire does not.
 */
final class SectionWorker {

    static final String STARTED = "started";
    static final String READY = "ready";
    static final String SECTION = "section ";
    static final String DONE = "done";

    private SectionWorker() {}

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        try (Locks locks = Contender.valueOf(args[0]).open(URI.create(args[1]), Integer.parseInt(args[4]))) {
            long millis = Long.parseLong(args[3]);
            System.out.println(STARTED);
            ChildJvm.awaitLine();
            sections(locks, "warm-up-" + args[2], millis);
            System.out.println(READY);
            ChildJvm.awaitLine();
            ChildJvm.endWithParent();
            List<Section> sections = sections(locks, args[2], millis);
            StringBuilder lines = new StringBuilder();
            sections.forEach(
                    section -> lines.append(SECTION).append(section.line()).append('\n'));
            System.out.print(lines);
        }
        System.out.println(DONE);
    }

    private static List<Section> sections(Locks locks, String key, long millis) throws Exception {
        List<Section> sections = new ArrayList<>();
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() - end < 0) {
            sections.add(Section.run(0, locks, key, ThreadsRow.WORK_MILLIS));
        }
        return sections;
    }
}
