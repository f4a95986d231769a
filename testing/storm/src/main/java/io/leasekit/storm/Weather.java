package io.leasekit.storm;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The rates of all faults over time, drawn from a seed. Phases of three seconds follow each other. In each, a third of the
 * faults occur, each for up to 12 % of the requests; one phase in eight begins with an outage. Of ten phases, two may be
 * one long outage, and three a time of slow paths, in which each request takes long. All is a function of seed and time,
 * so a seed repeats the weather, though not the threads. Thread-safe.
 */
final class Weather {

    static final long PHASE_MILLIS = 3_000;
    private static final int OUTAGE_MILLIS = 2_000;
    private static final int PHASES_OF_ERA = 10;
    private static final int LONG_OUTAGE = 2; // phases: twice the ttl
    private static final int SLOW_PATHS = 3;
    private static final double HIGHEST_RATE = 0.12;
    private static final double RATE_OF_WRONG_DATES = 0.02;

    private final long seed;
    private final @Nullable Fate only;

    private Weather(long seed, @Nullable Fate only) {
        this.seed = seed;
        this.only = only;
    }

    static Weather of(long seed) {
        return new Weather(seed, null);
    }

    /** Returns weather in which every request has this fate. */
    static Weather only(Fate fate) {
        return new Weather(0, fate);
    }

    /** Draws the fate of a request that is sent at this time after the begin. */
    Fate fate(long millis, Random draw) {
        if (only != null) {
            return only;
        }
        Random phase = phase(millis);
        Era era = era(millis);
        if (era.isOut() || millis % PHASE_MILLIS < outage(phase)) {
            return draw.nextBoolean() ? Fate.CUT : Fate.SWALLOWED;
        }
        double left = draw.nextDouble();
        for (Map.Entry<Fate, Double> rate : rates(phase).entrySet()) {
            left -= rate.getValue();
            if (left < 0) {
                return rate.getKey();
            }
        }
        return era.isSlow() ? Fate.DISTANT : Fate.PASSED;
    }

    /** Weather that lasts for longer than a phase. The first phase is free of it, as processes begin in it. */
    private record Era(boolean isOut, boolean isSlow) {}

    private Era era(long millis) {
        long number = millis / PHASE_MILLIS;
        Random era = new Random(seed * 37 + (number / PHASES_OF_ERA) * 0x9E3779B97F4A7C15L);
        int phase = (int) (number % PHASES_OF_ERA);
        return new Era(isWithin(phase, LONG_OUTAGE, era), isWithin(phase, SLOW_PATHS, era));
    }

    private static boolean isWithin(int phase, int length, Random era) {
        int begin = 1 + era.nextInt(PHASES_OF_ERA - length);
        return era.nextBoolean() && phase >= begin && phase < begin + length;
    }

    /** The multiplier spreads neighbouring phases over the seeds of the generator. */
    private Random phase(long millis) {
        return new Random(seed * 31 + (millis / PHASE_MILLIS) * 0x9E3779B97F4A7C15L);
    }

    private static int outage(Random phase) {
        int length = 200 + phase.nextInt(OUTAGE_MILLIS);
        return phase.nextInt(8) == 0 ? length : 0;
    }

    private static Map<Fate, Double> rates(Random phase) {
        Map<Fate, Double> rates = new EnumMap<>(Fate.class);
        for (Fate fate : Fate.values()) {
            double rate = phase.nextDouble() * (fate == Fate.WRONG_DATE ? RATE_OF_WRONG_DATES : HIGHEST_RATE);
            if (fate != Fate.PASSED && fate != Fate.DISTANT && phase.nextInt(3) == 0) {
                rates.put(fate, rate);
            }
        }
        return rates;
    }
}
