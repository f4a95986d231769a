package io.leasekit.benchmarks;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** One process of {@link ProcessesRow}; prints its sections. Arguments: contender, endpoint, key, milliseconds, permits. */
final class SectionWorker {

    static final String READY = "ready";
    static final String SECTION = "section ";
    static final String DONE = "done";

    private SectionWorker() {}

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        try (Locks locks = Contender.valueOf(args[0]).open(URI.create(args[1]), Integer.parseInt(args[4]))) {
            for (int i = 0; i < 50; i++) {
                Section.run(0, locks, "warm-up-" + ProcessHandle.current().pid(), 0);
            }
            System.out.println(READY);
            ChildJvm.awaitLine();
            ChildJvm.endWithParent();
            List<Section> sections = new ArrayList<>();
            long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000;
            while (System.nanoTime() - end < 0) {
                sections.add(Section.run(0, locks, args[2], ThreadsRow.WORK_MILLIS));
            }
            StringBuilder lines = new StringBuilder();
            sections.forEach(
                    section -> lines.append(SECTION).append(section.line()).append('\n'));
            System.out.print(lines);
        }
        System.out.println(DONE);
    }
}
