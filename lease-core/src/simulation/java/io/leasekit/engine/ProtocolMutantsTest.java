package io.leasekit.engine;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.leasekit.kernel.LeaseSpec;
import io.leasekit.records.KeptRecords;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.time.EngineTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Variants of the protocol that look simpler and are wrong. The simulation must find each of them. A variant that it
 * does not find shows a hole in the simulation.
 */
class ProtocolMutantsTest {

    private static final Logger log = LoggerFactory.getLogger(ProtocolMutantsTest.class);
    private static final VersionRange ANYTHING = new VersionRange("", "\uffff");
    private static final int STEPS = 3_000;
    private static final int BUDGET = Integer.getInteger("leasekit.mutants.schedules", 5_000);

    /** In each line the seed of a schedule and the mutant that it finds. */
    private static final Path SEEDS = Path.of("src", "simulation", "mutants.seeds");

    private static final String SEARCH = "./mvnw -Pfull -pl lease-core -am test"
            + " -Dtest='ProtocolMutantsTest#aSearchFindsTheMutantsWithoutASeed' after its line was deleted, and put the line that it prints into the file";

    record Mutant(String name, SimVariant variant) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Mutant mutant(String name, FeatureRules rules) {
        return new Mutant(name, SimVariant.of(time -> rules));
    }

    private static Mutant mutant(String name, Function<EngineTime, FeatureRules> rules) {
        return new Mutant(name, SimVariant.of(rules));
    }

    static Stream<Mutant> mutants() {
        return Stream.of(
                mutant("validity counted from the reply", time -> new FeatureRules() {
                    @Override
                    public long validUntil(Tenure.Attempt attempt) {
                        return time.nanos() + attempt.claim() - BoundedClock.drift(attempt.claim());
                    }
                }),
                mutant("hold limit not told to others", new FeatureRules() {
                    @Override
                    public long claim(LeaseSpec spec, long heldFor, long promised) {
                        return spec.ttl();
                    }
                }),
                mutant("heartbeat after an extension claims the ttl", time -> new ForgettingExtensions()),
                new Mutant("observers of an extended lease told the ttl", sending(ProtocolMutantsTest::tellingTheTtl)),
                mutant("hold limit stops during a suspend", new FeatureRules() {
                    @Override
                    public long elapsed(BoundedClock.Reading before, BoundedClock.Reading now) {
                        return now.sent() - before.sent();
                    }
                }),
                new Mutant("observers told less than the holder claims", sending(ProtocolMutantsTest::tellingLess)),
                mutant("time of sending read after the bounded clock", new FeatureRules() {
                    @Override
                    public BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
                        BoundedClock.Reading first = clock.readingSince(clock.now());
                        return first == null
                                ? null
                                : new BoundedClock.Reading(
                                        clock.now(),
                                        first.at(),
                                        first.epoch(),
                                        first.earliest(),
                                        first.latest(),
                                        first.agreed());
                    }
                }),
                mutant("release that records a run overwritten", new FeatureRules() {
                    @Override
                    public boolean mayBeOverwritten(boolean holds, boolean writesRecords) {
                        return !holds;
                    }
                }),
                mutant("item that records a run deleted", new FeatureRules() {
                    @Override
                    public boolean mayDelete(boolean unanswered, boolean mayHaveRecords) {
                        return !unanswered;
                    }
                }),
                mutant("item deleted before its token is past", new FeatureRules() {
                    @Override
                    public boolean mayBeForgotten(long token, BoundedClock.Reading reading) {
                        return true;
                    }
                }),
                new Mutant("release without a condition", sending(ProtocolMutantsTest::releasingAnything)),
                mutant("renewal on the confirmed version only, each refusal is a loss", new ConfirmedOnly() {
                    @Override
                    public int numberOf(Tenure tenure, @Nullable String version) {
                        return 0;
                    }
                }),
                new Mutant(
                        "renewal accepts any version of the tenure",
                        sending(ProtocolMutantsTest::renewingAnyOfTheTenure)),
                mutant("older version in a refusal counts from the refused request", new ConfirmedOnly() {
                    @Override
                    public int newestShown(Tenure tenure, List<StoreReply.Refusal> refusals) {
                        int newest = super.newestShown(tenure, refusals);
                        Tenure.Attempt last = tenure.attempt(tenure.last());
                        boolean isRenewal = last != null && last.token() == 0;
                        return newest != 0 && isRenewal ? tenure.last() : newest;
                    }
                }),
                mutant("versions of the whole process count as own", time -> new ProcessIsOurs()),
                mutant("token by increment", new FeatureRules() {
                    @Override
                    public long token(BoundedClock.Reading reading, long largestKnown) {
                        return largestKnown == 0 ? reading.latest() / MILLI : largestKnown + 1;
                    }
                }),
                mutant("token from the time of sending, without the deadline", new FeatureRules() {
                    @Override
                    public long token(BoundedClock.Reading reading, long largestKnown) {
                        return Math.max(reading.latest() / MILLI, largestKnown + 1);
                    }
                }),
                new Mutant(
                        "guard without the tenure",
                        SimVariant.of(
                                time -> new FeatureRules(),
                                (item, token, tenure) ->
                                        item.version() != null && item.token() != null && item.token() == token)),
                new Mutant("hold keeps the tenure of its lease", sending(ProtocolMutantsTest::holdingInItsTenure)),
                mutant("first grant accepted after its deadline", new FeatureRules() {
                    @Override
                    public long grantedUntil(BoundedClock.Reading reading) {
                        return reading.sent() + 60 * SECOND;
                    }
                }),
                mutant("local wall clock used before the first clock sample", LocalClockFirst::new),
                mutant("suspend not noticed", new FeatureRules() {
                    @Override
                    public boolean isJump(long millis) {
                        return false;
                    }
                }),
                mutant("lease valid although a clock has jumped", new FeatureRules() {
                    @Override
                    public boolean isKnown(Confirmed write, BoundedClock clock) {
                        return true;
                    }
                }),
                mutant("lease ends by its expiry alone", new FeatureRules() {
                    @Override
                    public boolean isOver(Confirmed write, long now, BoundedClock clock) {
                        BoundedClock.Interval time = clock.at(now);
                        return time != null && time.earliest() >= write.expiry();
                    }
                }),
                mutant("latest date wins when dates disagree", new FeatureRules() {
                    @Override
                    public BoundedClock.Interval combine(
                            BoundedClock.Interval intersection, BoundedClock.Interval hull) {
                        return new BoundedClock.Interval(
                                intersection.earliest(), Math.max(intersection.earliest(), intersection.latest()));
                    }
                }),
                mutant("observation counted from before the read", new FeatureRules() {
                    @Override
                    public long observedSince(Requests.Reply reply) {
                        return reply.sent();
                    }
                }),
                mutant("a renewed lease counts as unchanged", new FeatureRules() {
                    @Override
                    public boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now) {
                        return version != null
                                && now.version() != null
                                && Objects.equals(Tenure.tenureOf(version), Tenure.tenureOf(now.version()));
                    }
                }),
                mutant("expiry rounded down", new FeatureRules() {
                    @Override
                    public long expiry(long latest, long durationNanos, long token) {
                        return Math.max(Math.floorDiv(latest + durationNanos, SECOND), -Math.floorDiv(-token, 1_000L));
                    }
                }),
                mutant("hold expires below its token", new FeatureRules() {
                    @Override
                    public long holdExpiry(long earliest, long holdNanos, long token) {
                        return Math.floorDiv(earliest + holdNanos, SECOND);
                    }
                }),
                mutant("short hold is written", new FeatureRules() {
                    @Override
                    public boolean delaysRelease(long holdNanos, long earliest, long token, long remaining) {
                        return false;
                    }
                }),
                mutant("release delayed beyond the validity", new FeatureRules() {
                    @Override
                    public boolean delaysRelease(long holdNanos, long earliest, long token, long remaining) {
                        return holdNanos > 0;
                    }
                }),
                mutant("lease that is over released as held", new FeatureRules() {
                    @Override
                    public boolean isLostAtRelease(Confirmed last, long now, BoundedClock clock) {
                        return false;
                    }
                }),
                new Mutant("lost lease released while its body runs", SimVariant.RIGHT.releasingWhenLost()),
                mutant("take-over decided by the latest possible time", new FeatureRules() {
                    @Override
                    @Nullable
                    public Long freeBelow(BoundedClock.Reading reading) {
                        return Math.floorDiv(reading.latest(), SECOND);
                    }
                }),
                mutant("take-over of a lease that expires in the current second", new FeatureRules() {
                    @Override
                    @Nullable
                    public Long freeBelow(BoundedClock.Reading reading) {
                        return Math.floorDiv(reading.earliest(), SECOND) + 1;
                    }
                }),
                new Mutant("hand-over accepts any version", sending(ProtocolMutantsTest::takingAnything)),
                new Mutant("hand-over keeps the token", sending(ProtocolMutantsTest::keepingTheToken)),
                new Mutant("hand-over keeps the predecessor's expiry", sending(ProtocolMutantsTest::keepingTheEnd)),
                new Mutant("hand-over granted before its reply", granting(ProtocolMutantsTest::isHandOver)),
                new Mutant(
                        "given-up hand-over does not release its predecessor",
                        sending(ProtocolMutantsTest::releasingNoPredecessor)),
                new Mutant("forced release frees the key at once", sending(ProtocolMutantsTest::freeingAtOnce)),
                mutant("hand-overs continue while another process waits", new FeatureRules() {
                    @Override
                    public boolean endsHandOvers(int handOvers) {
                        return false;
                    }
                }));
    }

    private static SimVariant sending(UnaryOperator<LeaseCommand> store) {
        SimVariant right = SimVariant.RIGHT;
        return new SimVariant(right.rules(), right.guard(), store, right.granted());
    }

    private static SimVariant granting(Predicate<LeaseCommand> granted) {
        SimVariant right = SimVariant.RIGHT;
        return new SimVariant(right.rules(), right.guard(), right.store(), granted);
    }

    private static boolean isHandOver(LeaseCommand command) {
        return command instanceof AcquireCommand acquire && acquire.predecessor() != null;
    }

    private static LeaseCommand releasingAnything(LeaseCommand command) {
        return command instanceof ReleaseCommand release
                ? new ReleaseCommand(release.key(), ANYTHING, release.predecessor(), release.form(), release.edits())
                : command;
    }

    private static LeaseCommand releasingNoPredecessor(LeaseCommand command) {
        return command instanceof ReleaseCommand release
                ? new ReleaseCommand(release.key(), release.own(), null, release.form(), release.edits())
                : command;
    }

    private static LeaseCommand holdingInItsTenure(LeaseCommand command) {
        if (!(command instanceof ReleaseCommand release && release.form() instanceof ReleaseCommand.Hold hold)) {
            return command;
        }
        String last = release.own().last();
        String next = Tenure.version(Tenure.tenureOf(last), Tenure.numberIn(last) + 1);
        return new ReleaseCommand(
                release.key(),
                release.own(),
                release.predecessor(),
                new ReleaseCommand.Hold(
                        next, hold.expiry(), hold.durationMillis(), hold.releasedAtMillis(), hold.token()),
                release.edits());
    }

    private static LeaseCommand renewingAnyOfTheTenure(LeaseCommand command) {
        if (!(command instanceof RenewCommand renew)) {
            return command;
        }
        String first = renew.own().first();
        VersionRange all = new VersionRange(first, Tenure.version(Tenure.tenureOf(first), -1));
        return new RenewCommand(
                renew.key(), renew.version(), renew.expiry(), renew.durationMillis(), all, renew.edits());
    }

    private static LeaseCommand tellingLess(LeaseCommand command) {
        return command instanceof RenewCommand renew
                ? new RenewCommand(
                        renew.key(),
                        renew.version(),
                        renew.expiry(),
                        renew.durationMillis() / 4,
                        renew.own(),
                        renew.edits())
                : command;
    }

    private static LeaseCommand tellingTheTtl(LeaseCommand command) {
        return command instanceof RenewCommand renew
                ? new RenewCommand(
                        renew.key(),
                        renew.version(),
                        renew.expiry(),
                        Math.min(renew.durationMillis(), Simulation.SHORTEST_TTL / EngineTime.MILLI),
                        renew.own(),
                        renew.edits())
                : command;
    }

    private static LeaseCommand takingAnything(LeaseCommand command) {
        return command instanceof AcquireCommand acquire && acquire.predecessor() != null
                ? handingOver(acquire, acquire.expiry(), ANYTHING)
                : command;
    }

    private static AcquireCommand handingOver(AcquireCommand acquire, long expiry, VersionRange predecessor) {
        return new AcquireCommand(
                acquire.key(),
                acquire.version(),
                expiry,
                acquire.durationMillis(),
                acquire.token(),
                acquire.owner(),
                acquire.acquiredAtMillis(),
                acquire.freeBelow(),
                acquire.deadVersion(),
                acquire.own(),
                predecessor,
                keptOnly(acquire.edits()));
    }

    /** Returns what these edits say on how long the item is kept, without their records. */
    static Edits keptOnly(Edits edits) {
        return Edits.builder()
                .add(edits.keptUntil() == null ? KeptRecords.NONE : Edits.NONE)
                .keptUntil(edits.keptUntil())
                .build();
    }

    /** Frees the key although the lease may still be valid for its holder. */
    private static LeaseCommand freeingAtOnce(LeaseCommand command) {
        return command instanceof RevokeCommand revoke
                ? new RevokeCommand(
                        revoke.key(),
                        revoke.token(),
                        new RevokeCommand.Free(revoke.token() / 1_000 + 900, revoke.token()))
                : command;
    }

    /** Writes an expiry as if the predecessor had been renewed some time before. */
    private static LeaseCommand keepingTheEnd(LeaseCommand command) {
        if (!(command instanceof AcquireCommand acquire) || acquire.predecessor() == null) {
            return command;
        }
        long early = Math.max(acquire.expiry() - 4, acquire.token() / 1_000 + 1);
        return handingOver(acquire, early, acquire.predecessor());
    }

    /** Extends the lease of the predecessor, as a renewal does. */
    private static LeaseCommand keepingTheToken(LeaseCommand command) {
        return command instanceof AcquireCommand acquire && acquire.predecessor() != null
                ? new RenewCommand(
                        acquire.key(),
                        acquire.version(),
                        acquire.expiry(),
                        acquire.durationMillis(),
                        acquire.predecessor(),
                        Edits.builder().keptUntil(acquire.edits().keptUntil()).build())
                : command;
    }

    /** Claims the longer time in the first write only. */
    private static final class ForgettingExtensions extends FeatureRules {
        private final Set<Long> written = new HashSet<>();

        @Override
        public long claim(LeaseSpec spec, long heldFor, long promised) {
            return super.claim(spec, heldFor, written.add(promised) ? promised : spec.firstPromise());
        }
    }

    /** Requires the last confirmed version in a renewal. */
    private static class ConfirmedOnly extends FeatureRules {
        @Override
        public VersionRange ownBeforeRenew(Tenure tenure) {
            int confirmed = 1;
            while (tenure.attempt(confirmed) == null) {
                confirmed++;
            }
            return tenure.versions(confirmed, confirmed);
        }
    }

    /** Treats every tenure of its process as its own. */
    private static final class ProcessIsOurs extends FeatureRules {
        private final Set<UUID> tenures = new HashSet<>();

        @Override
        @Nullable
        public VersionRange ownBeforeAcquire(Tenure tenure) {
            tenures.add(tenure.id());
            return super.ownBeforeAcquire(tenure);
        }

        @Override
        public int numberOf(Tenure tenure, @Nullable String version) {
            UUID shown = version == null ? null : Tenure.tenureOf(version);
            return shown != null && tenures.contains(shown) ? tenure.last() : super.numberOf(tenure, version);
        }
    }

    /** Trusts the machine's wall clock until there is a clock sample. */
    private static final class LocalClockFirst extends FeatureRules {
        private final EngineTime time;

        LocalClockFirst(EngineTime time) {
            this.time = time;
        }

        @Override
        public BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
            return beforeSending(clock);
        }

        @Override
        public BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
            BoundedClock.Reading reading = super.beforeSending(clock);
            if (reading != null) {
                return reading;
            }
            long now = clock.now();
            long wall = time.wallMillis() * MILLI;
            return new BoundedClock.Reading(now, now, clock.epoch(), wall - SECOND, wall + SECOND, true);
        }
    }

    /** Mutants that schedules of the same kind find, by its numbering of schedules. */
    private enum Kind {
        PROTOCOL,
        /** Only one of five schedules has watches. */
        WATCHES,
        PERMITS,
        /** Only one of four schedules has pauses. */
        PAUSES,
        PROGRESS;

        int seed(int i) {
            return switch (this) {
                case PROTOCOL, PERMITS -> i;
                case WATCHES -> 5 * i;
                case PAUSES -> 4 * i + 1;
                case PROGRESS -> (int) SimProgress.FIRST_SEED + i - 1;
            };
        }

        int permits(int seed) {
            return switch (this) {
                case PROTOCOL, WATCHES, PROGRESS -> 0;
                case PERMITS -> 1 + seed % 3;
                case PAUSES -> seed % 3 == 0 ? 2 : 0;
            };
        }
    }

    static Stream<Arguments> all() {
        return Stream.of(
                        of(Kind.PROTOCOL, mutants()),
                        of(Kind.PROTOCOL, GroupMutants.all()),
                        of(Kind.PROTOCOL, BatchMutants.all()),
                        of(Kind.WATCHES, WatchMutants.all()),
                        of(Kind.PERMITS, PermitMutants.all()),
                        of(Kind.PAUSES, PauseMutants.all()),
                        of(Kind.PROGRESS, ProgressMutants.all()))
                .flatMap(mutants -> mutants);
    }

    private static Stream<Arguments> of(Kind kind, Stream<Mutant> mutants) {
        return mutants.map(mutant -> arguments(mutant, kind));
    }

    /** The gate has all but the one that is found only when a process has waited for an hour, which takes 20 seconds. */
    static Stream<Arguments> quick() {
        return all().filter(mutant -> !isSlow(mutant));
    }

    static Stream<Arguments> slow() {
        return all().filter(ProtocolMutantsTest::isSlow);
    }

    private static boolean isSlow(Arguments mutant) {
        return mutant.get()[0].toString().equals("hand-overs continue while another process waits");
    }

    /** A change of the engine may change what a schedule does, and so the seed that finds a mutant. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("quick")
    void theScheduleOfItsSeedFindsTheMutant(Mutant mutant, Kind kind) {
        assertFound(mutant, kind);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("slow")
    @Tag("full")
    void theLongScheduleOfItsSeedFindsTheMutant(Mutant mutant, Kind kind) {
        assertFound(mutant, kind);
    }

    private static void assertFound(Mutant mutant, Kind kind) {
        Integer seed = seeds().get(mutant.name());

        assertThat(seed != null && isBrokenBy(mutant, kind, seed))
                .as(
                        "'%s' is found by the schedule of its seed %s in %s. To find one, run %s",
                        mutant, seed, SEEDS, SEARCH)
                .isTrue();
    }

    /** Otherwise it proves nothing of the mutant. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    @Tag("full")
    void withoutTheMutantTheScheduleOfItsSeedBreaksNothing(Mutant mutant, Kind kind) {
        int seed = requireNonNull(seeds().get(mutant.name()));

        assertThatCode(() -> Simulation.run(seed, STEPS, SimVariant.RIGHT, kind.permits(seed)))
                .doesNotThrowAnyException();
    }

    /** Prints a line for each mutant that has none in the file of seeds. */
    @Test
    @Tag("full")
    void aSearchFindsTheMutantsWithoutASeed() {
        Set<String> known = seeds().keySet();
        all().map(Arguments::get)
                .filter(mutant -> !known.contains(mutant[0].toString()))
                .forEach(mutant -> search((Mutant) mutant[0], (Kind) mutant[1]));
    }

    private static void search(Mutant mutant, Kind kind) {
        int seed = IntStream.rangeClosed(1, BUDGET)
                .map(kind::seed)
                .filter(candidate -> finds(mutant, kind, candidate))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "Mutant not found in " + BUDGET + " schedules, so the simulation has a hole: " + mutant));

        log.info("The line of {} is: {} {}", SEEDS, seed, mutant);
    }

    private static Map<String, Integer> seeds() {
        try (Stream<String> lines = Files.lines(SEEDS)) {
            return lines.map(line -> line.split(" ", 2))
                    .collect(Collectors.toMap(line -> line[1], line -> Integer.valueOf(line[0])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean finds(Mutant mutant, Kind kind, int seed) {
        if (!isBrokenBy(mutant, kind, seed)) {
            return false;
        }
        Simulation.run(seed, STEPS, SimVariant.RIGHT, kind.permits(seed)); // or it proves nothing
        return true;
    }

    private static boolean isBrokenBy(Mutant mutant, Kind kind, int seed) {
        try {
            Simulation.run(seed, STEPS, mutant.variant, kind.permits(seed));
            return false;
        } catch (Simulation.Broken broken) {
            return true;
        }
    }
}
