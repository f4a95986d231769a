package io.leasekit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures one key, with one holder or several permits, under constant contention of eight processes. */
final class ProcessesRow implements Row {

    private static final int PROCESSES = 8;
    /** First JIT tier only, for all contenders: otherwise the measured load would be the compilers of eight JVMs. */
    private static final List<String> OPTIONS = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");

    private final int permits;

    /** {@code permits}: how many may hold the key at once. */
    ProcessesRow(int permits) {
        this.permits = permits;
    }

    @Override
    public String name() {
        return permits == 1 ? "processes" : "permits";
    }

    @Override
    public String title() {
        return "one key, " + (permits == 1 ? "" : permits + " permits, ")
                + "8 processes, 5 ms of work, 10 ms round trip";
    }

    @Override
    public List<Result> run(Lab lab, Options options) {
        List<Result> results = new ArrayList<>();
        for (Contender who : options.chosen(permits == 1 ? Contender.WAITING : Contender.WITH_PERMITS)) {
            results.add(run(lab, options, who));
        }
        return results;
    }

    private Result run(Lab lab, Options options, Contender who) {
        long millis = options.scale(30_000, 8_000);
        List<ChildJvm> workers = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                workers.add(ChildJvm.start(
                        SectionWorker.class,
                        OPTIONS,
                        List.of(
                                who.name(),
                                lab.database(Lab.ROUND_TRIP_MILLIS).toString(),
                                name() + "-" + who,
                                String.valueOf(millis),
                                String.valueOf(permits))));
            }
            workers.forEach(worker -> worker.await(SectionWorker.STARTED));
            workers.forEach(worker -> worker.tell("warm up"));
            workers.forEach(worker -> worker.await(SectionWorker.READY));
            WireCounts before = lab.counts();
            workers.forEach(worker -> worker.tell("go"));
            List<Section> sections = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                sections.addAll(sections(i, workers.get(i)));
            }
            WireCounts counts = lab.counts().since(before);
            Sections all = new Sections(sections, PROCESSES, permits);
            Map<String, Object> values = all.values(millis / 1e3, counts);
            if (permits == 1) {
                all.putGapsInto(values);
            }
            return Result.of(name(), "8 processes", who, values, counts);
        } finally {
            workers.forEach(ChildJvm::close);
        }
    }

    private static List<Section> sections(int who, ChildJvm worker) {
        List<Section> sections = new ArrayList<>();
        while (true) {
            String line = worker.await("");
            if (line.equals(SectionWorker.DONE)) {
                return sections;
            }
            if (line.startsWith(SectionWorker.SECTION)) {
                sections.add(Section.parse(who, line.substring(SectionWorker.SECTION.length())));
            }
        }
    }
}
