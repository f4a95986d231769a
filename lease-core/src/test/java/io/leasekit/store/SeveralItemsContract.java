package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link LeaseStore} for several items. All or none of a group is written, and a refusal shows the items that
 * did not satisfy their conditions. Each write of a batch has the effect of a single one.
 */
public abstract class SeveralItemsContract {

    private static final String TENURE = "5f2b0c52-7d7e-4b64-9b0f-0f6d3f9f4a11";
    private static final String OTHERS = "a1b3cf3e-0a58-4d8f-8a7e-6b1f2f5a9c22";
    private static final long EXPIRY = 2_000_000_000L;
    private static final long TOKEN = 1_900_000_000_000L;
    private static final ReleaseCommand.Form RETAIN = new ReleaseCommand.Retain(EXPIRY + 3, 70);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final String a = newKey();
    private final String b = newKey();
    private final String c = newKey();
    private final String d = newKey();

    /** Returns the store under test. */
    protected abstract LeaseStore store();

    /** Returns a key that no other test uses. */
    protected abstract String newKey();

    /** Stores an item, in place of one that is there. */
    protected abstract void put(LeaseItem item);

    /** Returns the stored item; {@code null} if there is none. */
    protected abstract @Nullable LeaseItem stored(String key);

    @Test
    void allIsWrittenWhenAllMayBe() {
        put(released(b));
        put(held(c, OTHERS));

        StoreReply reply = writeAll(acquire(a, null), acquire(b, null), acquire(c, version(OTHERS, 1)));

        assertThat(reply).isInstanceOf(StoreReply.Applied.class);
        assertThat(reply.date()).isNotNull();
        for (String key : List.of(a, b, c)) {
            assertThat(stored(key))
                    .isEqualTo(
                            new LeaseItem(key, version(TENURE, 7), EXPIRY, 60_000L, TOKEN, "node-1", TOKEN - 1, null));
        }
    }

    @Test
    void nothingIsWrittenWhenOneItemRefusesAndTheRefusalShowsIt() {
        put(released(a));
        put(held(b, OTHERS));

        StoreReply reply = writeAll(acquire(a, null), acquire(b, null), acquire(c, null));

        assertThat(refusals(reply)).containsExactly(new StoreReply.Refusal(b, held(b, OTHERS)));
        assertThat(reply.date()).isNotNull();
        assertThat(stored(a)).isEqualTo(released(a));
        assertThat(stored(b)).isEqualTo(held(b, OTHERS));
        assertThat(stored(c)).isNull();
    }

    @Test
    void aRefusalShowsAllItemsThatRefused() {
        put(held(a, OTHERS));
        put(held(c, OTHERS));

        StoreReply reply = writeAll(acquire(a, null), acquire(b, null), acquire(c, null));

        assertThat(refusals(reply))
                .containsExactly(
                        new StoreReply.Refusal(a, held(a, OTHERS)), new StoreReply.Refusal(c, held(c, OTHERS)));
    }

    @Test
    void anAbsentItemThatRefusesIsShownAsAbsent() {
        put(held(a, TENURE));

        assertThat(refusals(writeAll(renew(a), renew(b)))).containsExactly(new StoreReply.Refusal(b, null));
        assertThat(stored(a)).isEqualTo(held(a, TENURE));
    }

    @Test
    void aRenewalMovesAllEnds() {
        put(held(a, TENURE));
        put(held(b, TENURE));

        assertThat(writeAll(renew(a), renew(b))).isInstanceOf(StoreReply.Applied.class);

        assertThat(stored(a).expiry()).isEqualTo(EXPIRY + 9);
        assertThat(stored(b).expiry()).isEqualTo(EXPIRY + 9);
    }

    @Test
    void aReleaseReleasesAllInEachOfItsForms() {
        for (ReleaseCommand.Form form : List.of(
                new ReleaseCommand.Retain(EXPIRY, 70),
                new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70),
                new ReleaseCommand.Delete())) {
            put(held(a, TENURE));
            put(held(b, TENURE));

            assertThat(writeAll(release(a, form), release(b, form))).isInstanceOf(StoreReply.Applied.class);

            assertThat(isOurs(a)).isFalse();
            assertThat(isOurs(b)).isFalse();
        }
        assertThat(stored(a)).isNull();
    }

    @Test
    void aReleaseOfWhatIsPartlyAnothersReleasesNothing() {
        put(held(a, TENURE));
        put(held(b, OTHERS));

        StoreReply reply = writeAll(release(a, new ReleaseCommand.Delete()), release(b, new ReleaseCommand.Delete()));

        assertThat(refusals(reply)).containsExactly(new StoreReply.Refusal(b, held(b, OTHERS)));
        assertThat(stored(a)).isEqualTo(held(a, TENURE));
    }

    @Test
    void aReleaseUnlessThereIsARunIsRefusedByTheNameOfARunAndByNothingElse() {
        for (ReleaseCommand.Form form : List.of(new ReleaseCommand.Retain(EXPIRY, 70), new ReleaseCommand.Delete())) {
            put(held(a, TENURE));
            put(withRun(held(b, TENURE), "monday"));
            put(withRun(held(c, TENURE), null));

            StoreReply together = writeAll(unlessRun(a, form), unlessRun(b, form), unlessRun(c, form));
            StoreReply alone = reply(store().send(new StoreRequest.Write(unlessRun(b, form)), TIMEOUT));

            assertThat(refusals(together))
                    .containsExactly(new StoreReply.Refusal(b, withRun(held(b, TENURE), "monday")));
            assertThat(alone).isInstanceOf(StoreReply.Refused.class);
            assertThat(stored(a)).isEqualTo(held(a, TENURE));
            assertThat(writeAll(unlessRun(a, form), unlessRun(c, form))).isInstanceOf(StoreReply.Applied.class);
            assertThat(isOurs(a)).isFalse();
            assertThat(isOurs(c)).isFalse();
        }
    }

    @Test
    void aReleaseUnlessThereIsARunIsRefusedByAnothersLease() {
        put(held(a, OTHERS));
        VersionRange predecessor = new VersionRange(version(TENURE, 1), version(TENURE, 6));

        StoreReply reply = reply(store().send(
                        new StoreRequest.Write(
                                new ReleaseCommand(a, own(), predecessor, new ReleaseCommand.Delete(), null, true)),
                        TIMEOUT));

        assertThat(item(reply)).isEqualTo(held(a, OTHERS));
    }

    private static ReleaseCommand unlessRun(String key, ReleaseCommand.Form form) {
        return new ReleaseCommand(key, own(), null, form, null, true);
    }

    private static LeaseItem withRun(LeaseItem item, @Nullable String name) {
        return LeaseStoreContract.with(
                item, null, new ItemRun(name, "node-2", null, "SUCCEEDED", Duration.ofSeconds(3)), item.pauses());
    }

    @Test
    void commandsOfSeveralKindsGoTogether() {
        put(held(a, TENURE));

        assertThat(writeAll(renew(a), acquire(b, null))).isInstanceOf(StoreReply.Applied.class);

        assertThat(stored(a).expiry()).isEqualTo(EXPIRY + 9);
        assertThat(stored(b).version()).isEqualTo(version(TENURE, 7));
    }

    @Test
    void asManyItemsAsDynamoDbAllowsAreWrittenTogether() {
        List<LeaseCommand> commands = new ArrayList<>();
        for (int i = 0; i < StoreRequest.Transaction.MAX_COMMANDS; i++) {
            commands.add(acquire(a + i, null));
        }

        assertThat(reply(store().send(new StoreRequest.Transaction(commands), TIMEOUT)))
                .isInstanceOf(StoreReply.Applied.class);
        assertThat(stored(a + 99)).isNotNull();
    }

    // ---- renewals in one batch

    @Test
    void eachIsAppliedOrRefusedByItselfInItsOrder() {
        put(held(a, TENURE));
        put(held(b, OTHERS));
        put(released(c));

        List<StoreReply> replies = renewEach(renew(d), renew(a), renew(b), renew(c));

        assertThat(replies.get(0))
                .isInstanceOfSatisfying(
                        StoreReply.Refused.class,
                        refused -> assertThat(refused.item()).isNull());
        assertThat(replies.get(1)).isInstanceOf(StoreReply.Applied.class);
        assertThat(item(replies.get(2))).isEqualTo(held(b, OTHERS));
        assertThat(item(replies.get(3))).isEqualTo(released(c));
        assertThat(stored(a))
                .isEqualTo(new LeaseItem(a, version(TENURE, 7), EXPIRY + 9, 61_000L, TOKEN - 1, "node-2", 1L, null));
        assertThat(stored(b)).isEqualTo(held(b, OTHERS));
        assertThat(stored(c)).isEqualTo(released(c));
        assertThat(stored(d)).isNull();
    }

    @Test
    void allTellTheSameDate() {
        put(held(a, TENURE));

        assertThat(renewEach(renew(a), renew(b)))
                .extracting(StoreReply::date)
                .doesNotContainNull()
                .hasSize(2)
                .satisfies(dates -> assertThat(dates.get(0)).isEqualTo(dates.get(1)));
    }

    @Test
    void theFirstAndTheLastVersionOfTheRangeAreItsOwn() {
        put(held(a, TENURE, 1));
        put(held(b, TENURE, 6));
        put(held(c, TENURE, 7));

        List<StoreReply> replies = renewEach(renew(a), renew(b), renew(c));

        assertThat(replies.subList(0, 2)).hasOnlyElementsOfType(StoreReply.Applied.class);
        assertThat(item(replies.get(2))).isEqualTo(held(c, TENURE, 7));
    }

    @Test
    void keysMayBeOfAnyText() {
        String odd = a + "'\"?;-- \u20ac\n\\";
        put(held(odd, TENURE));
        put(held(b, TENURE));

        assertThat(renewEach(renew(odd), renew(b))).hasOnlyElementsOfType(StoreReply.Applied.class);

        assertThat(stored(odd).version()).isEqualTo(version(TENURE, 7));
    }

    @Test
    void asManyAsDynamoDbAllowsGoTogether() {
        List<String> keys = IntStream.range(0, StoreRequest.Batch.MAX_COMMANDS)
                .mapToObj(i -> a + i)
                .toList();
        keys.forEach(key -> put(held(key, TENURE)));

        List<StoreReply> replies =
                renewEach(keys.stream().map(SeveralItemsContract::renew).toArray(RenewCommand[]::new));

        assertThat(replies).hasSize(StoreRequest.Batch.MAX_COMMANDS).hasOnlyElementsOfType(StoreReply.Applied.class);
        assertThat(keys).allMatch(key -> stored(key).expiry() == EXPIRY + 9);
    }

    @Test
    void aRepeatedBatchIsRefusedByWhatItWrote() {
        put(held(a, TENURE));
        put(held(b, TENURE));
        renewEach(renew(a), renew(b));

        List<StoreReply> replies = renewEach(renew(a), renew(b));

        assertThat(replies).extracting(reply -> item(reply).version()).containsOnly(version(TENURE, 7));
    }

    // ---- releases in one batch

    @Test
    void eachReleaseIsAppliedOrRefusedIndividuallyInItsOrder() {
        put(held(a, TENURE));
        put(held(b, OTHERS));
        put(released(c));

        List<StoreReply> replies =
                releaseEach(release(d, RETAIN), release(a, RETAIN), release(b, RETAIN), release(c, RETAIN));

        assertThat(replies.get(0))
                .isInstanceOfSatisfying(
                        StoreReply.Refused.class,
                        refused -> assertThat(refused.item()).isNull());
        assertThat(replies.get(1)).isInstanceOf(StoreReply.Applied.class);
        assertThat(item(replies.get(2))).isEqualTo(held(b, OTHERS));
        assertThat(item(replies.get(3))).isEqualTo(released(c));
        assertThat(replies).extracting(StoreReply::date).doesNotContainNull();
        assertThat(stored(a)).isEqualTo(new LeaseItem(a, null, EXPIRY + 3, null, TOKEN - 1, "node-2", 1L, 70L));
        assertThat(stored(b)).isEqualTo(held(b, OTHERS));
        assertThat(stored(c)).isEqualTo(released(c));
        assertThat(stored(d)).isNull();
    }

    @Test
    void aReleasedHoldKeepsOthersAway() {
        put(held(a, TENURE));
        put(held(b, OTHERS));
        ReleaseCommand.Hold hold = new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY + 3, 1_500, 70);

        List<StoreReply> replies = releaseEach(release(a, hold), release(b, hold));

        assertThat(replies.get(0)).isInstanceOf(StoreReply.Applied.class);
        assertThat(stored(a))
                .isEqualTo(new LeaseItem(a, version(OTHERS, 9), EXPIRY + 3, 1_500L, TOKEN - 1, "node-2", 1L, 70L));
        assertThat(item(replies.get(1))).isEqualTo(held(b, OTHERS));
    }

    @Test
    void aBatchReleasesTheVersionsOfBothRangesAndNoOthers() {
        VersionRange predecessor = new VersionRange(version(OTHERS, 3), version(OTHERS, 4));
        put(held(a, TENURE, 6));
        put(held(b, TENURE, 7));
        put(held(c, OTHERS, 3));
        put(held(d, OTHERS, 5));

        List<StoreReply> replies = releaseEach(List.of(a, b, c, d).stream()
                .map(key -> new ReleaseCommand(key, own(), predecessor, RETAIN, null))
                .toArray(ReleaseCommand[]::new));

        assertThat(replies.get(0)).isInstanceOf(StoreReply.Applied.class);
        assertThat(item(replies.get(1))).isEqualTo(held(b, TENURE, 7));
        assertThat(replies.get(2)).isInstanceOf(StoreReply.Applied.class);
        assertThat(item(replies.get(3))).isEqualTo(held(d, OTHERS, 5));
    }

    @Test
    void inABatchTheNameOfARunRefusesOneThatIsUnlessRun() {
        VersionRange predecessor = new VersionRange(version(OTHERS, 3), version(OTHERS, 4));
        put(withRun(held(a, TENURE), "monday"));
        put(withRun(held(b, TENURE), null));
        put(withRun(held(c, OTHERS, 3), "monday"));
        put(withRun(held(d, TENURE), "monday"));

        List<StoreReply> replies = releaseEach(
                unlessRun(a, RETAIN),
                unlessRun(b, RETAIN),
                new ReleaseCommand(c, own(), predecessor, RETAIN, null, true),
                release(d, RETAIN));

        assertThat(item(replies.get(0))).isEqualTo(withRun(held(a, TENURE), "monday"));
        assertThat(replies.get(1)).isInstanceOf(StoreReply.Applied.class);
        assertThat(item(replies.get(2))).isEqualTo(withRun(held(c, OTHERS, 3), "monday"));
        assertThat(replies.get(3)).isInstanceOf(StoreReply.Applied.class);
        assertThat(stored(d).lastRun().name()).isEqualTo("monday");
    }

    @Test
    void aBatchRecordsRuns() {
        ItemRun done = new ItemRun("tuesday", "node-3", Instant.ofEpochMilli(5), "SUCCEEDED", Duration.ofMillis(1_234));
        put(held(a, TENURE));
        put(withRun(held(b, TENURE), "monday"));

        releaseEach(
                new ReleaseCommand(a, own(), null, RETAIN, done),
                new ReleaseCommand(b, own(), null, RETAIN, new ItemRun(null, "node-3", null, "FAILED", null)));

        assertThat(stored(a).lastRun()).isEqualTo(done);
        assertThat(stored(b).lastRun().name()).isEqualTo("monday");
        assertThat(stored(b).lastRun().outcome()).isEqualTo("FAILED");
    }

    @Test
    void aBatchShowsAndRemovesTheMarksOfWaiters() {
        ReleaseCommand.Hold hold = new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70);
        put(marked(held(a, TENURE), 77L));
        put(held(b, TENURE));
        put(marked(held(c, TENURE), 78L));
        put(marked(held(d, OTHERS), 79L));

        List<StoreReply> replies =
                releaseEach(release(a, RETAIN), release(b, RETAIN), release(c, hold), release(d, RETAIN));

        assertThat(replies.subList(0, 3))
                .extracting(reply -> ((StoreReply.Applied) reply).waitingSinceMillis())
                .containsExactly(77L, null, 78L);
        assertThat(stored(a).waitingSinceMillis()).isNull();
        assertThat(stored(c).waitingSinceMillis()).isNull();
        assertThat(stored(d).waitingSinceMillis()).isEqualTo(79L);
    }

    @Test
    void aRepeatedBatchOfReleasesIsRefused() {
        put(held(a, TENURE));
        put(held(b, TENURE));
        releaseEach(release(a, RETAIN), release(b, RETAIN));
        put(held(b, OTHERS));

        List<StoreReply> replies = releaseEach(release(a, RETAIN), release(b, RETAIN));

        assertThat(replies).hasOnlyElementsOfType(StoreReply.Refused.class);
        assertThat(item(replies.get(1))).isEqualTo(held(b, OTHERS));
    }

    @Test
    void asManyReleasesAsDynamoDbAllowsGoTogetherWhateverTheirKeys() {
        List<String> keys = IntStream.range(0, StoreRequest.Batch.MAX_COMMANDS)
                .mapToObj(i -> a + i + "'\"?;-- \u20ac\n\\")
                .toList();
        keys.forEach(key -> put(held(key, TENURE)));

        List<StoreReply> replies =
                releaseEach(keys.stream().map(key -> release(key, RETAIN)).toArray(ReleaseCommand[]::new));

        assertThat(replies).hasSize(StoreRequest.Batch.MAX_COMMANDS).hasOnlyElementsOfType(StoreReply.Applied.class);
        assertThat(keys).noneMatch(this::isOurs);
    }

    private List<StoreReply> releaseEach(ReleaseCommand... commands) {
        return each(commands);
    }

    private static LeaseItem marked(LeaseItem item, long waitingSince) {
        return LeaseStoreContract.with(item, waitingSince, item.lastRun(), item.pauses());
    }

    private static LeaseItem item(StoreReply reply) {
        assertThat(reply).isInstanceOf(StoreReply.Refused.class);
        return ((StoreReply.Refused) reply).item();
    }

    private List<StoreReply> renewEach(RenewCommand... commands) {
        return each(commands);
    }

    private List<StoreReply> each(LeaseCommand... commands) {
        StoreReply reply = reply(store().send(new StoreRequest.Batch(List.of(commands)), TIMEOUT));
        assertThat(reply).isInstanceOf(StoreReply.Each.class);
        return ((StoreReply.Each) reply).replies();
    }

    // ---- helpers

    private static List<StoreReply.Refusal> refusals(StoreReply reply) {
        assertThat(reply).isInstanceOf(StoreReply.GroupRefused.class);
        return ((StoreReply.GroupRefused) reply).refusals();
    }

    private StoreReply writeAll(LeaseCommand... commands) {
        return reply(store().send(new StoreRequest.Transaction(List.of(commands)), TIMEOUT));
    }

    private static StoreReply reply(CompletionStage<StoreReply> stage) {
        try {
            return stage.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("No reply", e);
        }
    }

    private static AcquireCommand acquire(String key, @Nullable String dead) {
        return new AcquireCommand(
                key, version(TENURE, 7), EXPIRY, 60_000, TOKEN, "node-1", TOKEN - 1, null, dead, null, null);
    }

    private static RenewCommand renew(String key) {
        return new RenewCommand(key, version(TENURE, 7), EXPIRY + 9, 61_000, own());
    }

    private static ReleaseCommand release(String key, ReleaseCommand.Form form) {
        return new ReleaseCommand(key, own(), null, form, null);
    }

    private static VersionRange own() {
        return new VersionRange(version(TENURE, 1), version(TENURE, 6));
    }

    private boolean isOurs(String key) {
        LeaseItem item = stored(key);
        return item != null && item.version() != null && item.version().startsWith(TENURE);
    }

    private static String version(String tenure, int number) {
        return tenure + String.format("-%08x", number);
    }

    private static LeaseItem held(String key, String tenure) {
        return held(key, tenure, 1);
    }

    private static LeaseItem held(String key, String tenure, int number) {
        return new LeaseItem(key, version(tenure, number), EXPIRY, 60_000L, TOKEN - 1, "node-2", 1L, null);
    }

    private static LeaseItem released(String key) {
        return new LeaseItem(key, null, EXPIRY, 60_000L, TOKEN - 1, "node-2", 1L, 2L);
    }
}
