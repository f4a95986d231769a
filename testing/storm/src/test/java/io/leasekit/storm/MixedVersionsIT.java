package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.previous.PreviousVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** One process of the previous version and one of this one, in one table; each case in both directions. */
@EnabledIf(value = "isPreviousVersionThere", disabledReason = PreviousVersion.ABSENT)
class MixedVersionsIT {

    enum Direction {
        OLD_TO_NEW,
        NEW_TO_OLD;

        private MemberProcess first() {
            return this == OLD_TO_NEW ? oldOne : newOne;
        }

        private MemberProcess second() {
            return this == OLD_TO_NEW ? newOne : oldOne;
        }

        private String firstClassPath() {
            return this == OLD_TO_NEW ? previous.classPath() : PreviousVersion.presentClassPath();
        }
    }

    private static final Deque<AutoCloseable> OPEN = new ArrayDeque<>();
    private static final AtomicInteger KEYS = new AtomicInteger();

    private static PreviousVersion previous;
    private static DynamoDbLocalProcess database;
    private static MemberProcess oldOne;
    private static MemberProcess newOne;

    private final String key = "key-" + KEYS.incrementAndGet();

    static boolean isPreviousVersionThere() throws Exception {
        return PreviousVersion.find(Path.of("..", "..")).isPresent();
    }

    @BeforeAll
    static void start() throws Exception {
        previous = PreviousVersion.find(Path.of("..", "..")).orElseThrow();
        database = opened(DynamoDbLocalProcess.start());
        try (DynamoDbAsyncClient client =
                LocalDynamoDb.clientBuilder(database.endpoint()).build()) {
            Tables.create(client);
        }
        oldOne = member(previous.classPath(), "old");
        newOne = member(PreviousVersion.presentClassPath(), "new");
    }

    private static <T extends AutoCloseable> T opened(T resource) {
        OPEN.push(resource);
        return resource;
    }

    private static MemberProcess member(String classPath, String owner) throws IOException {
        return opened(new MemberProcess(classPath, database.endpoint(), owner));
    }

    @AfterAll
    static void end() throws Exception {
        while (!OPEN.isEmpty()) {
            OPEN.pop().close();
        }
    }

    @Test
    void theOldProcessRunsThePreviousCoreAndTheNewOneDoesNot() throws Exception {
        assertThat(oldOne.ask("core -")).isEqualTo(previous.commit());
        assertThat(newOne.ask("core -")).isNotEqualTo(previous.commit());
    }

    @ParameterizedTest
    @EnumSource
    void aLeaseExcludesTheOtherVersionUntilItsRelease(Direction direction) throws Exception {
        long token = granted(direction.first().ask("acquire " + key + " 0"));

        assertThat(direction.second().ask("acquire " + key + " 0")).isEqualTo("unavailable");
        assertThat(direction.first().ask("release " + key)).isEqualTo("released");
        assertThat(granted(direction.second().ask("acquire " + key + " 0"))).isGreaterThan(token);
    }

    @ParameterizedTest
    @EnumSource
    void aWaiterIsGrantedTheLeaseAfterItsRelease(Direction direction) throws Exception {
        long token = granted(direction.first().ask("acquire " + key + " 0"));
        CompletableFuture<String> waiting = direction.second().send("acquire " + key + " 600000");

        Thread.sleep(Member.TTL.plusSeconds(1).toMillis()); // so that only renewals keep it
        assertThat(waiting).isNotDone();
        direction.first().ask("release " + key);

        assertThat(granted(MemberProcess.within(waiting))).isGreaterThan(token);
    }

    @ParameterizedTest
    @EnumSource
    void theLeaseOfAKilledProcessIsTakenOver(Direction direction) throws Exception {
        MemberProcess victim = member(direction.firstClassPath(), "victim-" + key);
        long token = granted(victim.ask("acquire " + key + " 0"));
        assertThat(direction.second().ask("acquire " + key + " 0")).isEqualTo("unavailable");

        victim.kill();

        assertThat(granted(direction.second().ask("acquire " + key + " 600000")))
                .isGreaterThan(token);
    }

    @ParameterizedTest
    @EnumSource
    void aRunThatOneVersionHasDoneIsDoneForTheOther(Direction direction) throws Exception {
        granted(direction.first().ask("once " + key + " b"));
        assertThat(direction.first().ask("done " + key)).isEqualTo("released");

        assertThat(direction.second().ask("once " + key + " b")).isEqualTo("already ran");
        granted(direction.second().ask("once " + key + " a"));
    }

    @ParameterizedTest
    @EnumSource
    void aGrowingRunThatOneVersionHasDoneCoversSmallerOnesForTheOther(Direction direction) throws Exception {
        granted(direction.first().ask("grow " + key + " b"));
        assertThat(direction.first().ask("done " + key)).isEqualTo("released");

        assertThat(direction.second().ask("grow " + key + " a")).isEqualTo("already ran");
        assertThat(direction.second().ask("grow " + key + " b")).isEqualTo("already ran");
        granted(direction.second().ask("grow " + key + " c"));
    }

    /** This version leaves the item of a run to item TTL much later; the previous one takes that for the end of the lease. */
    @ParameterizedTest
    @EnumSource
    void theLeaseOfARunOfAKilledProcessIsTakenOver(Direction direction) throws Exception {
        MemberProcess victim = member(direction.firstClassPath(), "victim-" + key);
        long token = granted(victim.ask("grow " + key + " a"));
        assertThat(direction.second().ask("grow " + key + " b")).isEqualTo("unavailable");

        victim.kill();

        assertThat(granted(direction.second().ask("acquire " + key + " 600000")))
                .isGreaterThan(token);
    }

    @ParameterizedTest
    @EnumSource
    void aHoldOfOneVersionKeepsTheOtherAway(Direction direction) throws Exception {
        long begun = System.nanoTime();
        long token = granted(direction.first().ask("hold " + key + " 12000"));
        direction.first().ask("release " + key);

        assertThat(direction.second().ask("acquire " + key + " 0")).isEqualTo("unavailable");
        assertThat(granted(direction.second().ask("acquire " + key + " 600000")))
                .isGreaterThan(token);
        // a written hold ends early by up to a second and the duration of a request, which is long on a busy machine
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @EnumSource
    void tokensGrowFromVersionToVersion(Direction direction) throws Exception {
        long last = 0;
        for (int i = 0; i < 6; i++) {
            MemberProcess next = i % 2 == 0 ? direction.first() : direction.second();
            long token = granted(next.ask("acquire " + key + " 0"));
            assertThat(token).isGreaterThan(last);
            next.ask("release " + key);
            last = token;
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneVersionReleasesTheLeaseOfTheOtherByForce(Direction direction) throws Exception {
        long token = granted(direction.first().ask("acquire " + key + " 0"));

        assertThat(direction.second().ask("force " + key + " " + (token - 1))).isEqualTo("not held");
        assertThat(direction.second().ask("force " + key + " " + token)).isEqualTo("done");
        assertThat(direction.first().ask("lost " + key)).isIn("REVOKED", "EXPIRED");
        assertThat(granted(direction.second().ask("acquire " + key + " 600000")))
                .isGreaterThan(token);
    }

    @ParameterizedTest
    @EnumSource
    void bothListTheLeasesOfBoth(Direction direction) throws Exception {
        long one = granted(direction.first().ask("acquire " + key + "-one 0"));
        long other = granted(direction.second().ask("acquire " + key + "-other 0"));

        assertThat(direction.first().ask("list " + key + "-"))
                .isEqualTo("%s-one %s %d, %s-other %s %d"
                        .formatted(
                                key,
                                direction.first().owner(),
                                one,
                                key,
                                direction.second().owner(),
                                other))
                .isEqualTo(direction.second().ask("list " + key + "-"));
    }

    @ParameterizedTest
    @EnumSource
    void aLeaseOfSeveralKeysExcludesTheOtherVersionFromEach(Direction direction) throws Exception {
        String both = key + "-a," + key + "-b";
        long token = granted(direction.first().ask("acquire " + both + " 0"));

        assertThat(direction.second().ask("acquire " + key + "-b 0")).isEqualTo("unavailable");
        direction.first().ask("release " + key + "-a");
        assertThat(granted(direction.second().ask("acquire " + both + " 600000")))
                .isGreaterThan(token);
        assertThat(direction.first().ask("acquire " + key + "-a 0")).isEqualTo("unavailable");
    }

    @ParameterizedTest
    @EnumSource
    void aLeaderIsReplacedByOneOfTheOtherVersion(Direction direction) throws Exception {
        String led = direction.first().ask("lead " + key);
        CompletableFuture<String> next = direction.second().send("lead " + key);

        Thread.sleep(Member.TTL.plusSeconds(1).toMillis()); // so that only renewals keep it
        assertThat(next).isNotDone();
        assertThat(direction.first().ask("leave " + key)).isEqualTo("left");

        assertThat(number("leads ", MemberProcess.within(next))).isGreaterThan(number("leads ", led));
        direction.second().ask("leave " + key);
    }

    private static long granted(String answer) {
        return number("granted ", answer);
    }

    private static long number(String prefix, String answer) {
        assertThat(answer).startsWith(prefix);
        return Long.parseLong(answer.substring(prefix.length()));
    }
}
