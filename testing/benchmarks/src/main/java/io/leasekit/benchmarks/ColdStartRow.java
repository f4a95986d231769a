package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.List;

/** Measures many locks that are acquired at once after the start of the database, which is slow then. */
final class ColdStartRow implements Row {

    private static final int COUNT = 2_000;
    private static final int QUICK = 200;

    @Override
    public String name() {
        return "cold start";
    }

    @Override
    public String title() {
        return "locks acquired at once after the start of database and proxy, held for 90 s (quick: 30 s), "
                + Stress.LOCKS;
    }

    /** Each contender has a database and a proxy of its own. */
    @Override
    public List<Result> run(Lab warm, Options options) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        for (int count : options.leases(List.of(COUNT), QUICK)) {
            for (Contender who : options.chosen(Stress.CONTENDERS)) {
                try (Lab lab = Lab.start()) {
                    Stress stress = new Stress(name(), String.valueOf(count), count);
                    results.add(stress.hold(lab, who, options.scale(90_000, 30_000)));
                }
            }
        }
        return results;
    }
}
