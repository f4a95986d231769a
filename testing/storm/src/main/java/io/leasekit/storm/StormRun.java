package io.leasekit.storm;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;

/**
 * Runs a storm of any length and judges it. Arguments: folder of the histories, duration in ISO-8601, seed, and number of
 * processes. Prints what happened and the verdict. Exits with status 0 if there is no violation, with 1 if there is one, and
 * with 2 if the arguments are wrong.
 */
public final class StormRun {

    private StormRun() {}

    /** Runs the program. */
    public static void main(String[] args) throws Exception {
        Storm.Plan plan;
        try {
            plan = plan(args);
        } catch (RuntimeException e) {
            System.out.println(
                    "Usage: StormRun <folder> <duration, as PT3H> <seed> <processes, at least 1>: " + e.getMessage());
            System.exit(2);
            return;
        }
        Storm.Report report = Storm.run(plan);
        Verdict verdict = Judge.judge(Histories.read(plan.folder()));
        System.out.println(report);
        System.out.println(verdict);
        System.exit(verdict.isClean() ? 0 : 1);
    }

    /**
     * Returns the plan that these arguments describe.
     *
     * @throws IllegalArgumentException if they describe none
     */
    static Storm.Plan plan(String... args) {
        if (args.length != 4) {
            throw new IllegalArgumentException("There are " + args.length + " arguments, expected 4");
        }
        Duration duration = Duration.parse(args[1]);
        int processes = Integer.parseInt(args[3]);
        if (duration.isNegative() || duration.isZero() || processes < 1) {
            throw new IllegalArgumentException("A storm of " + duration + " with " + processes + " processes is none");
        }
        return new Storm.Plan(
                Path.of(args[0]).toAbsolutePath(),
                duration,
                Long.parseLong(args[2]),
                Collections.nCopies(processes, Broken.NOT),
                false);
    }
}
