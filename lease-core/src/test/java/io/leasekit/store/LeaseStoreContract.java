package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link LeaseStore}: each term of each condition at its edges; the attributes that a write sets,
 * keeps and removes; the item that a refusal shows; writes of several items; and commands that are sent at the same
 * time. The conditions are defined by the Javadoc of the commands.
 *
 * <p>The tests use keys of their own, leave their items behind, and may share a table with other tests. Dynalite has neither
 * transactions nor batches, so the tests of these are skipped on it.
 *
 * <p>Not tested: failures.
 */
public abstract class LeaseStoreContract {

    private static final String TENURE = "5f2b0c52-7d7e-4b64-9b0f-0f6d3f9f4a11";
    private static final String OTHERS = "a1b3cf3e-0a58-4d8f-8a7e-6b1f2f5a9c22";
    private static final String NOBODY = "00000000-0000-0000-0000-000000000000";
    private static final long EXPIRY = 2_000_000_000L;
    private static final long KEPT = EXPIRY + 1_000_000;
    private static final long TOKEN = 1_900_000_000_000L;
    private static final ReleaseCommand.Form RETAIN = new ReleaseCommand.Retain(EXPIRY + 3, 70);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int CALLERS = 8;
    private static final int ROUNDS = 20;

    private LeaseStore store;
    private String key;

    /** Returns the store under test. Called once before each test. */
    protected abstract LeaseStore store();

    /** Stores an item without any condition, and replaces an existing one. */
    protected abstract void put(LeaseItem item);

    /** Returns the present time of the server whose time the replies carry. */
    protected abstract Instant now();

    /** Returns the stored item, read past the store; {@code null} if there is none. */
    protected abstract @Nullable LeaseItem stored(String key);

    /**
     * Returns whether the refusal of a single write shows the item that refused it; it does not on dynalite. A refused
     * transaction must show its items.
     */
    protected boolean showsItemsOfRefusals() {
        return true;
    }

    @BeforeEach
    final void begin() {
        store = store();
        key = newKey();
    }

    private static String newKey() {
        return "contract-" + UUID.randomUUID();
    }

    // ---- acquire: the lease may be taken

    @Test
    void acquireTakesAnAbsentItem() {
        assertThat(write(acquire(TOKEN, null, null, null))).isInstanceOf(StoreReply.Applied.class);
        assertThat(stored(key))
                .isEqualTo(new LeaseItem(key, version(TENURE, 7), EXPIRY, 60_000L, TOKEN, "node-1", TOKEN - 1, null));
    }

    @Test
    void acquireTakesAReleasedItem() {
        put(released(TOKEN - 1));

        assertApplied(acquire(TOKEN, null, null, null));
    }

    @Test
    void acquireWithoutAReasonIsRefusedByAHeldItemHoweverOld() {
        put(held(1L, TOKEN - 1));

        assertRefused(acquire(TOKEN, null, null, null));
    }

    @Test
    void acquireIsRefusedWhenTheExpiryIsOneAboveTheBound() {
        put(held(EXPIRY + 1, TOKEN - 1));

        assertRefused(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireIsRefusedWhenTheExpiryIsTheBound() {
        put(held(EXPIRY, TOKEN - 1));

        assertRefused(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireTakesAnItemWhoseExpiryIsOneBelowTheBound() {
        put(held(EXPIRY - 1, TOKEN - 1));

        assertApplied(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void expiriesAreComparedAsNumbers() {
        put(held(999_999_999L, TOKEN - 1)); // as text it would be above 2000000000

        assertApplied(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireIsRefusedByAHeldItemWithoutExpiry() {
        put(new LeaseItem(key, version(OTHERS, 1), null, 60_000L, TOKEN - 1, null, null, null));

        assertRefused(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireTakesAnItemOfTheVersionKnownDead() {
        put(held(EXPIRY, TOKEN - 1));

        assertApplied(acquire(TOKEN, null, version(OTHERS, 1), null));
    }

    @Test
    void acquireIsRefusedByAnotherVersionOfTheDeadTenure() {
        put(held(EXPIRY, TOKEN - 1));

        assertRefused(acquire(TOKEN, null, version(OTHERS, 2), null));
        assertRefused(acquire(TOKEN, null, OTHERS, null));
    }

    @Test
    void acquireTakesAnItemOfItsOwnEarlierAttempts() {
        for (int number = 1; number <= 6; number++) {
            put(withVersion(version(TENURE, number), TOKEN - 1));

            assertApplied(acquire(TOKEN, null, null, range(1, 6)));
        }
    }

    @Test
    void acquireIsRefusedByVersionsOutsideItsOwnRange() {
        put(withVersion(version(TENURE, 7), TOKEN - 1));
        assertRefused(acquire(TOKEN, null, null, range(1, 6)));

        put(withVersion(version(TENURE, 0), TOKEN - 1));
        assertRefused(acquire(TOKEN, null, null, range(1, 6)));

        put(withVersion(version(OTHERS, 3), TOKEN - 1));
        assertRefused(acquire(TOKEN, null, null, range(1, 6)));
    }

    @Test
    void acquireIsRefusedIfNoneOfItsReasonsHolds() {
        put(withVersion(version(OTHERS, 4), TOKEN - 1));

        assertRefused(acquireForAnyReason(null));
    }

    @Test
    void acquireIsGrantedByEachOfItsReasonsAlone() {
        for (LeaseItem item : takeableItems(TOKEN - 1)) {
            put(item);

            assertApplied(acquireForAnyReason(null));
        }
    }

    @Test
    void theTokenMustGrowForEachReason() {
        for (LeaseItem item : takeableItems(TOKEN)) {
            put(item);

            assertRefused(acquireForAnyReason(null));
        }
    }

    @Test
    void theRunMustNotBeDoneForEachReason() {
        for (LeaseItem item : takeableItems(TOKEN - 1)) {
            put(withRun(item, run("b")));

            assertRefused(acquireForAnyReason("b"));
            assertApplied(acquireForAnyReason("c"));
        }
    }

    @Test
    void theNumberOfPermitsIsThatOfTheLastAcquireThatNamesOne() {
        assertApplied(acquireOfPermits(TOKEN, 3));
        assertThat(stored(key))
                .extracting(item -> item.records().number(RecordTable.PERMITS))
                .isEqualTo(3L);

        assertApplied(renew(range(1, 7)));
        ReleaseCommand.Form retain = new ReleaseCommand.Retain(EXPIRY, TOKEN);
        assertApplied(new ReleaseCommand(key, range(1, 7), null, retain, Edits.NONE));
        assertThat(stored(key))
                .extracting(item -> item.records().number(RecordTable.PERMITS))
                .isEqualTo(3L);

        assertApplied(acquireOfPermits(TOKEN + 1, null));
        assertThat(stored(key))
                .extracting(item -> item.records().number(RecordTable.PERMITS))
                .isEqualTo(3L);
    }

    private AcquireCommand acquireOfPermits(long token, @Nullable Integer permits) {
        Edits.Builder edits = Edits.builder().add(KeptRecords.NONE);
        return with(
                acquire(token, null, null, null),
                edits.set(RecordTable.PERMITS, permits == null ? null : permits.longValue())
                        .build());
    }

    /** One item for each reason of {@link #acquireForAnyReason}: free, expired, dead, own, handed over. */
    private List<LeaseItem> takeableItems(long token) {
        return List.of(
                released(token),
                new LeaseItem(key, version(OTHERS, 4), EXPIRY - 1, 60_000L, token, "node-2", 1L, null),
                withVersion(version(OTHERS, 9), token),
                withVersion(version(TENURE, 3), token),
                withVersion(version(OTHERS, 2), token));
    }

    private AcquireCommand acquireForAnyReason(@Nullable String once) {
        AcquireCommand any = attempt(
                key,
                version(TENURE, 7),
                EXPIRY,
                TOKEN,
                "node-1",
                TOKEN - 1,
                EXPIRY,
                version(OTHERS, 9),
                range(1, 6),
                range(OTHERS, 1, 3));
        return once == null ? any : with(any, once(once));
    }

    /** The edits of an acquire for this run. */
    private static Edits once(String run) {
        Edits.Builder edits = Edits.builder().absentOrBelow(ItemRun.NAME, run).keptUntil(KEPT);
        AcquireText.RUN.addTo(edits, run, TOKEN);
        return edits.build();
    }

    private static Edits kept(long until) {
        return Edits.builder().keptUntil(until).build();
    }

    @Test
    void acquireIsGivenByAnyOneOfItsReasons() {
        put(held(EXPIRY, TOKEN - 1));

        assertApplied(acquire(TOKEN, EXPIRY, version(OTHERS, 1), range(1, 6)));
    }

    // ---- acquire: the token grows

    @Test
    void acquireTakesAnItemWhoseTokenIsOneBelow() {
        put(released(TOKEN - 1));

        assertApplied(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireIsRefusedByAFreeItemWithTheSameToken() {
        put(released(TOKEN));

        assertRefused(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireIsRefusedByAFreeItemWithALargerToken() {
        put(released(TOKEN + 1));

        assertRefused(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void acquireIsRefusedByTheTokenWhateverTheReason() {
        put(held(EXPIRY - 1, TOKEN));
        assertRefused(acquire(TOKEN, EXPIRY, version(OTHERS, 1), range(1, 6)));

        put(withVersion(version(TENURE, 3), TOKEN));
        assertRefused(acquire(TOKEN, EXPIRY, null, range(1, 6)));
    }

    @Test
    void tokensAreComparedAsNumbers() {
        put(released(9)); // as text it would be above the token

        assertApplied(acquire(TOKEN, null, null, null));
    }

    // ---- acquire: the item afterwards

    @Test
    void acquireSetsAllOfALeaseAndRemovesWhatIsOfTheFormerTenure() {
        put(new LeaseItem(key, null, 5L, 1L, 6L, "former", 7L, 8L));

        assertApplied(acquire(TOKEN, null, null, null));

        assertThat(stored(key))
                .isEqualTo(new LeaseItem(key, version(TENURE, 7), EXPIRY, 60_000L, TOKEN, "node-1", TOKEN - 1, null));
    }

    // ---- an item with the three attributes of the Rust crate

    @Test
    void anItemWithoutTokenIsRespectedWhileItLives() {
        put(new LeaseItem(key, "crate", EXPIRY, null, null, null, null, null));

        assertRefused(acquire(TOKEN, EXPIRY, null, range(1, 6)));
    }

    @Test
    void anItemWithoutTokenIsTakenOverOnceExpired() {
        put(new LeaseItem(key, "crate", EXPIRY - 1, null, null, null, null, null));

        assertApplied(acquire(TOKEN, EXPIRY, null, null));
    }

    @Test
    void anItemWithoutTokenIsTakenOverOnceKnownDead() {
        put(new LeaseItem(key, "crate", EXPIRY, null, null, null, null, null));

        assertApplied(acquire(TOKEN, null, "crate", null));
    }

    // ---- a hold

    @Test
    void aHoldIsRespectedUntilItsEnd() {
        put(withVersion(version(TENURE, 6), TOKEN - 1));
        assertApplied(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0)));

        assertRefused(acquire(TOKEN, EXPIRY, null, range(1, 6)));
        assertApplied(acquire(TOKEN, EXPIRY + 1, null, null));
    }

    // ---- renew

    @Test
    void renewMovesTheEndOfEachVersionInItsRange() {
        for (int number = 1; number <= 6; number++) {
            put(withVersion(version(TENURE, number), TOKEN));

            assertApplied(renew(range(1, 6)));
            assertThat(existing(key).version()).isEqualTo(version(TENURE, 7));
        }
    }

    @Test
    void renewSetsVersionExpiryAndDurationOnly() {
        put(new LeaseItem(key, version(TENURE, 3), 5L, 1L, 6L, "owner", 7L, 8L));

        assertApplied(renew(range(1, 6)));

        assertThat(stored(key))
                .isEqualTo(new LeaseItem(key, version(TENURE, 7), EXPIRY + 9, 61_000L, 6L, "owner", 7L, 8L));
    }

    @Test
    void renewIsRefusedByVersionsOutsideItsRange() {
        assertRenewIsRefusedBy(withVersion(version(TENURE, 7), TOKEN));
        assertRenewIsRefusedBy(withVersion(version(TENURE, 0), TOKEN));
        assertRenewIsRefusedBy(held(1L, TOKEN));
        assertRenewIsRefusedBy(released(TOKEN));
    }

    private void assertRenewIsRefusedBy(LeaseItem item) {
        put(item);
        assertRefused(renew(range(1, 6)));
    }

    @Test
    void renewCreatesNoItem() {
        assertRefused(renew(range(1, 6)));
    }

    @Test
    void versionsSortByNumberBeyondTheFirstDigits() {
        put(withVersion(version(TENURE, 0x1f), TOKEN));
        assertApplied(renew(range(1, 0x20)));

        put(withVersion(version(TENURE, 0x100), TOKEN));
        assertRefused(renew(range(1, 0xff)));
    }

    // ---- release

    @Test
    void retainKeepsTheItemWithoutItsVersionAndDuration() {
        put(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, 6L, "owner", 7L, null));

        assertApplied(release(new ReleaseCommand.Retain(EXPIRY, 70)));

        assertThat(stored(key)).isEqualTo(new LeaseItem(key, null, EXPIRY, null, 6L, "owner", 7L, 70L));
    }

    @Test
    void holdLeavesALeaseOfAnotherTenure() {
        put(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, 6L, "owner", 7L, null));

        assertApplied(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0)));

        assertThat(stored(key)).isEqualTo(new LeaseItem(key, version(OTHERS, 9), EXPIRY, 1_500L, 6L, "owner", 7L, 70L));
    }

    @Test
    void deleteRemovesTheItem() {
        put(withVersion(version(TENURE, 3), TOKEN));

        assertApplied(release(new ReleaseCommand.Delete()));

        assertThat(stored(key)).isNull();
    }

    @Test
    void everyFormOfReleaseIsRefusedOutsideItsRange() {
        assertReleasesAreRefusedBy(withVersion(version(TENURE, 7), TOKEN));
        assertReleasesAreRefusedBy(withVersion(version(TENURE, 0), TOKEN));
        assertReleasesAreRefusedBy(held(1L, TOKEN));
        assertReleasesAreRefusedBy(released(TOKEN));
    }

    private void assertReleasesAreRefusedBy(LeaseItem item) {
        put(item);
        assertRefused(release(new ReleaseCommand.Retain(EXPIRY, 70)));
        assertRefused(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1, 70, 0)));
        assertRefused(release(new ReleaseCommand.Delete()));
    }

    @Test
    void everyFormOfReleaseIsRefusedWithoutAnItemAndCreatesNone() {
        assertRefused(release(new ReleaseCommand.Retain(EXPIRY, 70)));
        assertRefused(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1, 70, 0)));
        assertRefused(release(new ReleaseCommand.Delete()));
    }

    // ---- read

    @Test
    void readFindsWhatIsStored() {
        LeaseItem item = new LeaseItem(key, version(TENURE, 3), EXPIRY, 60_000L, TOKEN, "owner", 7L, 8L);
        put(item);

        assertThat(read().item()).isEqualTo(item);
    }

    @Test
    void readFindsNothing() {
        assertThat(read().item()).isNull();
    }

    @Test
    void aReadSeesTheWriteBefore() {
        assertApplied(acquire(TOKEN, null, null, null));

        assertThat(read().item()).isNotNull().extracting(LeaseItem::token).isEqualTo(TOKEN);
    }

    @Test
    void readingSeveralKeysShowsEachItemThatExists() {
        String released = key + "-released";
        String absent = key + "-absent";
        put(held(EXPIRY, TOKEN));
        LeaseItem free = new LeaseItem(released, null, EXPIRY, 60_000L, TOKEN, "node-2", 1L, 2L);
        put(free);

        StoreReply reply = send(new StoreRequest.ReadEach(List.of(released, absent, key)));

        assertThat(reply).isInstanceOfSatisfying(StoreReply.FoundEach.class, found -> {
            assertThat(found.items()).containsExactlyInAnyOrder(free, held(EXPIRY, TOKEN));
            assertThat(found.unread()).isEmpty();
        });
    }

    @Test
    void readingSeveralKeysOfWhichNoneExistsShowsNoItem() {
        StoreReply reply = send(new StoreRequest.ReadEach(List.of(key + "-absent", key)));

        assertThat(reply).isInstanceOfSatisfying(StoreReply.FoundEach.class, found -> {
            assertThat(found.items()).isEmpty();
            assertThat(found.unread()).isEmpty();
        });
    }

    @Test
    void readingAHundredKeysIsOneRequest() {
        put(held(EXPIRY, TOKEN));
        List<String> keys = new ArrayList<>(List.of(key));
        while (keys.size() < 100) {
            keys.add(key + "-" + keys.size());
        }

        assertThat(send(new StoreRequest.ReadEach(keys)))
                .isInstanceOfSatisfying(
                        StoreReply.FoundEach.class,
                        found -> assertThat(found.items()).containsExactly(held(EXPIRY, TOKEN)));
    }

    private StoreReply.Found read() {
        return replyTo(new StoreRequest.Read(key), StoreReply.Found.class);
    }

    // ---- revoke

    @Test
    void revokeChangesTheVersionOnly() {
        put(marked(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "owner", 7L, 8L), 50));

        assertApplied(refuse(TOKEN));

        assertThat(stored(key))
                .isEqualTo(marked(new LeaseItem(key, version(NOBODY, 9), 5L, 60_000L, TOKEN, "owner", 7L, 8L), 50));
    }

    @Test
    void revokeAtOnceLeavesWhatAReleaseLeaves() {
        put(marked(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "owner", 7L, null), 50));

        assertApplied(free(TOKEN));

        assertThat(stored(key)).isEqualTo(new LeaseItem(key, null, EXPIRY, null, TOKEN, "owner", 7L, 70L));
    }

    @Test
    void bothFormsOfRevokeNameTheTokenAndNeedALease() {
        assertRevokesAreRefused();
        put(withVersion(version(TENURE, 3), TOKEN - 1));
        assertRevokesAreRefused();
        put(withVersion(version(TENURE, 3), TOKEN + 1));
        assertRevokesAreRefused();
        put(released(TOKEN));
        assertRevokesAreRefused();
        put(new LeaseItem(key, "crate", EXPIRY, null, null, null, null, null));
        assertRevokesAreRefused();
    }

    private void assertRevokesAreRefused() {
        assertRefused(refuse(TOKEN));
        assertRefused(free(TOKEN));
    }

    @Test
    void aRevokedLeaseIsRenewedAndReleasedNoMoreAndRevokedAgain() {
        put(withVersion(version(TENURE, 3), TOKEN));
        assertApplied(refuse(TOKEN));

        assertRefused(renew(range(1, 6)));
        assertRefused(release(new ReleaseCommand.Retain(EXPIRY, 70)));
        assertApplied(refuse(TOKEN));
        assertApplied(free(TOKEN));
    }

    @Test
    void aRevokedLeaseIsAcquiredOnceItsExpiryIsOver() {
        put(withVersion(version(TENURE, 3), TOKEN - 1));
        assertApplied(refuse(TOKEN - 1));

        assertRefused(acquire(TOKEN, EXPIRY, null, range(1, 6)));
        assertApplied(acquire(TOKEN, EXPIRY + 1, null, null));
    }

    private RevokeCommand refuse(long token) {
        return new RevokeCommand(key, token, new RevokeCommand.Refuse(version(NOBODY, 9)));
    }

    private RevokeCommand free(long token) {
        return new RevokeCommand(key, token, new RevokeCommand.Free(EXPIRY, 70));
    }

    // ---- list

    @Test
    void listFindsWhatIsHeldOrKeptAndBeginsWithThePrefix() {
        LeaseItem mine = marked(named(key + "/a", version(TENURE, 3)), 50);
        LeaseItem crates = new LeaseItem(key + "/b", "crate", EXPIRY, null, null, null, null, null);
        put(mine);
        put(crates);
        put(named(key + "/released", null));
        put(named("other" + key + "/c", version(OTHERS, 1)));
        put(named(key, version(OTHERS, 1)));

        assertThat(listed(key + "/", 100)).containsExactlyInAnyOrder(mine, crates);
    }

    @Test
    void listFindsAllWithoutAPrefix() {
        put(named(key, version(TENURE, 3)));
        put(named("other" + key, version(TENURE, 3)));

        assertThat(listed("", 100)).extracting(LeaseItem::key).contains(key, "other" + key);
    }

    @Test
    void listExaminesNoMoreThanItsLimitAndGoesOnWhereItEnded() {
        for (int i = 0; i < 5; i++) {
            put(named(key + "/" + i, i % 2 == 0 ? version(TENURE, 3) : null));
        }

        assertThat(look("", 1, null).items()).hasSizeLessThanOrEqualTo(1);
        assertThat(look("", 1, null).next()).isNotNull();
        assertThat(listed(key, 2))
                .extracting(LeaseItem::key)
                .containsExactlyInAnyOrder(key + "/0", key + "/2", key + "/4");
    }

    @Test
    void listGoesOnAfterAKeyThatIsGone() {
        put(named(key, version(TENURE, 3)));

        List<String> rest = new ArrayList<>();
        for (String next = "gone" + key; next != null; ) {
            StoreReply.Listed listed = look("", 100, next);
            listed.items().forEach(item -> rest.add(item.key()));
            next = listed.next();
        }

        assertThat(rest).doesNotHaveDuplicates();
    }

    private LeaseItem named(String name, @Nullable String version) {
        return new LeaseItem(name, version, EXPIRY, 60_000L, TOKEN, "node-1", 1L, null);
    }

    private List<LeaseItem> listed(String prefix, int limit) {
        List<LeaseItem> items = new ArrayList<>();
        StoreReply.Listed listed = look(prefix, limit, null);
        items.addAll(listed.items());
        while (listed.next() != null) {
            listed = look(prefix, limit, listed.next());
            items.addAll(listed.items());
        }
        return items;
    }

    private StoreReply.Listed look(String prefix, int limit, @Nullable String after) {
        StoreReply.Listed listed = replyTo(new StoreRequest.Scan(prefix, limit, after), StoreReply.Listed.class);
        assertThat(listed.malformed()).isEmpty();
        return listed;
    }

    // ---- replies

    @Test
    void everyReplyTellsTheStoresTimeCutToTheSecond() {
        LeaseCommand acquire = acquire(TOKEN, null, null, null);
        assertDated(new StoreRequest.Write(acquire));
        assertDated(new StoreRequest.Write(acquire)); // refused
        assertDated(new StoreRequest.Read(key));
        assertDated(new StoreRequest.ReadEach(List.of(key, key + "-absent")));
        assertDated(new StoreRequest.Scan("", 1, null));
        assertDated(new StoreRequest.Write(renew(range(1, 7))));
        assertDated(new StoreRequest.Write(release(new ReleaseCommand.Delete()))); // refused
    }

    private void assertDated(StoreRequest request) {
        Instant before = now();
        Instant date = send(request).date();

        if (date == null) {
            throw new AssertionError("Date of the reply to " + request + " is null, expected the server's time");
        }
        assertThat(date).as("Date of the reply to %s", request).isEqualTo(date.truncatedTo(ChronoUnit.SECONDS));
        assertThat(date)
                .as("Date of the reply to %s", request)
                .isBetween(before.minusSeconds(1), now()); // cut, and at most a second of caching
    }

    @Test
    void nothingIsSentTwice() {
        assertThat(write(acquire(TOKEN, null, null, null)).resent()).isFalse();
        assertThat(write(acquire(TOKEN, null, null, null)).resent()).isFalse();
    }

    @Test
    void keysOfAnyTextAreKeptApart() {
        key = newKey() + " a/b 'ü\u0000𐍈";
        assertApplied(acquire(TOKEN, null, null, null));
        String taken = key;
        key = taken + " ";

        assertThat(stored(key)).isNull();
        assertThat(stored(taken)).isNotNull();
    }

    // ---- hand-over and waiters (6)

    @Test
    void handOverTakesTheLeaseOfItsPredecessor() {
        put(others(3));

        assertApplied(handOver(range(OTHERS, 1, 3)));

        assertThat(stored(key))
                .isEqualTo(new LeaseItem(key, version(TENURE, 7), EXPIRY, 60_000L, TOKEN, "node-1", TOKEN - 1, null));
    }

    @Test
    void handOverIsRefusedByAnyOtherVersion() {
        put(others(4));
        assertRefused(handOver(range(OTHERS, 1, 3)));

        put(withVersion(version(TENURE, 3), TOKEN - 1));
        assertRefused(handOver(range(OTHERS, 1, 3)));
    }

    @Test
    void handOverIsRefusedByALargerToken() {
        put(new LeaseItem(key, version(OTHERS, 3), EXPIRY, 60_000L, TOKEN, "node-2", 1L, null));

        assertRefused(handOver(range(OTHERS, 1, 3)));
    }

    @Test
    void releaseNamesThePredecessorToo() {
        ReleaseCommand release = new ReleaseCommand(
                key, range(1, 6), range(OTHERS, 1, 3), new ReleaseCommand.Retain(EXPIRY, 70), Edits.NONE);
        put(others(3));
        assertApplied(release);

        put(withVersion(version(TENURE, 6), TOKEN));
        assertApplied(release);

        put(others(4));
        assertRefused(release);
    }

    @Test
    void markTellsOfAWaiterOnce() {
        put(others(3));

        assertApplied(new MarkCommand(key, 50));
        assertRefused(new MarkCommand(key, 60));

        assertThat(stored(key)).isEqualTo(marked(others(3), 50));
    }

    @Test
    void markIsRefusedWhereNobodyHolds() {
        assertRefused(new MarkCommand(key, 50));

        put(released(TOKEN));
        assertRefused(new MarkCommand(key, 50));
    }

    // ---- pauses

    @Test
    void pausesAreWrittenWhereThereAreNoneAndChangeNothingElse() {
        assertApplied(pause(null, "one"));
        assertThat(stored(key))
                .isEqualTo(withPauses(new LeaseItem(key, null, null, null, null, null, null, null), "one"));
        assertRefused(pause(null, "two"));

        key = newKey();
        put(others(3));
        assertApplied(pause(null, "one"));
        assertThat(stored(key)).isEqualTo(withPauses(others(3), "one"));
    }

    @Test
    void pausesAreReplacedIfTheyAreTheExpectedOnes() {
        put(withPauses(others(3), "one"));

        assertRefused(pause(null, "three"));
        assertRefused(pause("two", "three"));
        assertApplied(pause("one", "two"));

        assertThat(stored(key)).isEqualTo(withPauses(others(3), "two"));
    }

    @Test
    void pausesOfAnotherTypeAreNoTextAndAreReplaced() {
        for (Object other : List.of(5L, new Bytes(new byte[] {7}))) {
            key = newKey();
            put(others(3).with(new Records(Map.of(RecordTable.PAUSES, other), null)));

            assertRefused(pause("5", "one"));
            assertApplied(pause(null, "one"));
            assertRefused(pause(null, "two"));
            assertThat(stored(key)).isEqualTo(withPauses(others(3), "one"));
        }
    }

    private static LeaseItem withPauses(LeaseItem item, String pauses) {
        return item.with(item.records()
                .after(Edits.builder().set(RecordTable.PAUSES, pauses).build()));
    }

    private PauseCommand pause(@Nullable String expected, String pauses) {
        return new PauseCommand(
                key,
                Edits.builder()
                        .equal(RecordTable.PAUSES, expected)
                        .set(RecordTable.PAUSES, pauses)
                        .build());
    }

    @Test
    void handOverTellsOfTheMarkAndKeepsIt() {
        put(marked(others(3), 50));

        assertThat(write(handOver(range(OTHERS, 1, 3))))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.waitingSinceMillis()).isEqualTo(50));
        assertThat(existing(key).waitingSinceMillis()).isEqualTo(50);
    }

    @Test
    void renewKeepsTheMarkAndDoesNotTellOfIt() {
        put(marked(withVersion(version(TENURE, 3), TOKEN), 50));

        assertThat(write(renew(range(1, 6))))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.waitingSinceMillis()).isNull());
        assertThat(existing(key).waitingSinceMillis()).isEqualTo(50);
    }

    @Test
    void acquireAndReleaseRemoveTheMark() {
        put(marked(held(EXPIRY - 1, TOKEN - 1), 50));
        assertApplied(acquire(TOKEN, EXPIRY, null, null));
        assertThat(existing(key).waitingSinceMillis()).isNull();

        put(marked(withVersion(version(TENURE, 3), TOKEN), 50));
        assertApplied(release(new ReleaseCommand.Retain(EXPIRY, 70)));
        assertThat(existing(key).waitingSinceMillis()).isNull();

        put(marked(withVersion(version(TENURE, 3), TOKEN), 50));
        assertApplied(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0)));
        assertThat(existing(key).waitingSinceMillis()).isNull();
    }

    @Test
    void releaseThatKeepsTheItemTellsOfTheMark() {
        for (ReleaseCommand.Form form : List.of(
                new ReleaseCommand.Retain(EXPIRY, 70),
                new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0))) {
            put(marked(withVersion(version(TENURE, 3), TOKEN), 50));

            assertThat(write(release(form))).isInstanceOfSatisfying(StoreReply.Applied.class, applied -> {
                assertThat(applied.waitingSinceMillis()).isEqualTo(50);
                assertThat(applied.before().text(ItemRun.NAME)).isNull();
            });
        }
    }

    // ---- runs

    @Test
    void acquireForARunTakesAnItemWithoutARun() {
        assertApplied(acquireFor("2026-11-21"));

        put(released(TOKEN - 1));
        assertApplied(acquireFor("2026-11-21"));
    }

    @Test
    void acquireForARunIsRefusedUnlessItIsAboveTheLastOne() {
        put(withRun(released(TOKEN - 1), run("2026-11-21")));

        assertRefused(acquireFor("2026-11-20"));
        assertRefused(acquireFor("2026-11-21"));
        assertApplied(acquireFor("2026-11-21T00"));
    }

    @Test
    void namesOfRunsAreComparedAsBytesOfUtf8() {
        put(withRun(released(TOKEN - 1), run("\uD800\uDF48"))); // as UTF-16 it would be below the other one

        assertRefused(acquireFor("\uFFFD"));
    }

    @Test
    void theRunIsAskedForWhateverTheReason() {
        put(withRun(held(EXPIRY - 1, TOKEN - 1), run("b")));

        AcquireCommand any = attempt(
                key,
                version(TENURE, 7),
                EXPIRY,
                TOKEN,
                "node-1",
                TOKEN - 1,
                EXPIRY,
                version(OTHERS, 1),
                range(OTHERS, 1, 3),
                range(OTHERS, 1, 3));
        assertRefused(with(any, once("b")));
    }

    @Test
    void anAcquireForNoRunTakesAnItemWithAnyRunTellsOfItAndKeepsIt() {
        put(withRun(released(TOKEN - 1), run("b")));

        StoreReply reply = write(keeping(TOKEN, null));

        assertThat(reply)
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied ->
                                assertThat(applied.before().text(ItemRun.NAME)).isNotNull());
        assertThat(ItemRun.of(existing(key).records())).isEqualTo(run("b"));
    }

    @Test
    void anAcquireTellsThatThereWasNoRun() {
        put(withRun(released(TOKEN - 1), run(null)));

        assertThat(write(acquireFor("b")))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied ->
                                assertThat(applied.before().text(ItemRun.NAME)).isNull());
    }

    // ---- run again

    @Test
    void aRunIsAllowedAgainAndThoseBeforeItStayDone() {
        LeaseItem item = withRun(released(TOKEN - 1), run("2026-11-21"));
        put(item);

        assertApplied(reopen(TOKEN - 1, "2026-11-21"));

        ItemRun before = ItemRun.of(existing(key).records());
        assertThat(existing(key)).isEqualTo(withHistory(withRun(item, before), "line"));
        assertThat(before).isNotNull().isEqualTo(run(before.name()));
        for (String done : List.of("2026-11-20", "2026-11-20\uFFFD", "2026-11-20\uD83D\uDE00 and more", "2026-11-2")) {
            assertRefused(acquireFor(done));
        }
        assertApplied(acquireFor("2026-11-21"));
    }

    @Test
    void aRunIsAllowedAgainOnlyIfTheItemIsAsItWasSeen() {
        assertRefused(reopen(TOKEN - 1, "b")); // no item
        put(released(TOKEN - 1));
        assertRefused(reopen(TOKEN - 1, "b"));
        put(withRun(released(TOKEN - 1), run(null)));
        assertRefused(reopen(TOKEN - 1, "b"));
        put(withRun(released(TOKEN - 1), run("c")));
        assertRefused(reopen(TOKEN - 1, "b"));
        put(withRun(released(TOKEN), run("b")));
        assertRefused(reopen(TOKEN - 1, "b"));
        put(withRun(withVersion(version(TENURE, 3), TOKEN - 1), run("b")));
        assertRefused(reopen(TOKEN - 1, "b"));
        put(withRun(released(TOKEN - 1), run("b")));
        assertApplied(reopen(TOKEN - 1, "b"));
        assertRefused(reopen(TOKEN - 1, "b")); // a copy
    }

    @Test
    void aRunIsAllowedAgainWithoutAHistory() {
        LeaseItem item = withHistory(withRun(released(TOKEN - 1), run("b")), "kept");
        put(item);

        assertApplied(reopen(TOKEN - 1, "b", null));

        assertThat(existing(key).records().text(RecordTable.HISTORY)).isEqualTo("kept");
    }

    private static LeaseItem withHistory(LeaseItem item, String history) {
        return item.with(item.records()
                .after(Edits.builder().set(RecordTable.HISTORY, history).build()));
    }

    private ReopenCommand reopen(long token, String run) {
        return reopen(token, run, "line");
    }

    private ReopenCommand reopen(long token, String run, @Nullable String history) {
        return new ReopenCommand(
                key,
                token,
                Edits.builder()
                        .equal(ItemRun.NAME, run)
                        .set(ItemRun.NAME, ItemRun.before(run))
                        .set(RecordTable.HISTORY, history)
                        .build());
    }

    @Test
    void renewMarkAndAReleaseWithoutARunKeepTheLastOne() {
        LeaseItem mine = withRun(withVersion(version(TENURE, 6), TOKEN), run("b"));
        for (LeaseCommand command : List.of(
                renew(range(1, 6)),
                new MarkCommand(key, 50),
                release(new ReleaseCommand.Retain(EXPIRY, 70)),
                release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0)))) {
            put(mine);

            assertApplied(command);

            assertThat(ItemRun.of(existing(key).records())).as("%s", command).isEqualTo(run("b"));
        }
    }

    @Test
    void aReleaseRecordsARun() {
        for (ReleaseCommand.Form form : List.of(
                new ReleaseCommand.Retain(EXPIRY, 70),
                new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0))) {
            put(withRun(withVersion(version(TENURE, 6), TOKEN), run("b")));

            assertApplied(new ReleaseCommand(key, range(1, 6), null, form, LATER.edits()));

            assertThat(ItemRun.of(existing(key).records())).as("%s", form).isEqualTo(LATER);
        }
    }

    @Test
    void aRunWithoutANameLeavesTheNameOfTheOneBefore() {
        put(withRun(withVersion(version(TENURE, 6), TOKEN), run("b")));
        ItemRun nameless = new ItemRun(null, LATER.owner(), LATER.begunAt(), LATER.outcome(), LATER.duration());

        assertApplied(
                new ReleaseCommand(key, range(1, 6), null, new ReleaseCommand.Retain(EXPIRY, 70), nameless.edits()));

        assertThat(ItemRun.of(existing(key).records()))
                .isEqualTo(new ItemRun("b", LATER.owner(), LATER.begunAt(), LATER.outcome(), LATER.duration()));
    }

    @Test
    void aReleaseThatIsRefusedRecordsNothing() {
        put(withRun(withVersion(version(OTHERS, 6), TOKEN), run("b")));

        assertRefused(new ReleaseCommand(key, range(1, 6), null, new ReleaseCommand.Retain(EXPIRY, 70), LATER.edits()));
    }

    // ---- the application of the owner

    private AcquireCommand acquireOf(@Nullable String application, long token) {
        Edits.Builder edits = Edits.builder().add(KeptRecords.NONE);
        AcquireText.APPLICATION.addTo(edits, application, token);
        return with(acquire(token, null, null, range(1, 6)), edits.build());
    }

    private @Nullable String application() {
        LeaseItem item = stored(key);
        return item == null ? null : AcquireText.APPLICATION.of(item);
    }

    @Test
    void acquireWritesItsApplication() {
        assertApplied(acquireOf("orders", TOKEN));

        assertThat(application()).isEqualTo("orders");
    }

    @Test
    void acquireReplacesTheApplicationOfTheOwnerBefore() {
        put(of("billing", released(TOKEN - 1)));

        assertApplied(acquireOf("orders", TOKEN));

        assertThat(application()).isEqualTo("orders");
    }

    @Test
    void acquireWithoutAnApplicationTellsNoneNorThatOfTheOwnerBefore() {
        put(of("billing", released(TOKEN - 1)));

        assertApplied(acquireOf(null, TOKEN));

        assertThat(application()).isNull();
    }

    @Test
    void otherWritesKeepTheApplication() {
        put(of("billing", new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "node-1", 7L, null)));

        assertApplied(renew(range(1, 6)));
        assertThat(application()).isEqualTo("billing");
        assertApplied(new MarkCommand(key, 5));
        assertThat(application()).isEqualTo("billing");
        assertApplied(new RevokeCommand(key, TOKEN, new RevokeCommand.Refuse(version(NOBODY, 9))));
        assertThat(application()).isEqualTo("billing");
        assertApplied(new RevokeCommand(key, TOKEN, new RevokeCommand.Free(EXPIRY, TOKEN)));
        assertThat(application()).isEqualTo("billing");
    }

    @Test
    void releasesKeepTheApplication() {
        put(of("billing", new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "node-1", 7L, null)));

        assertApplied(release(new ReleaseCommand.Hold(version(OTHERS, 1), EXPIRY, 1_500, TOKEN, 0)));
        assertThat(application()).isEqualTo("billing");
        put(of("billing", new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "node-1", 7L, null)));
        assertApplied(release(new ReleaseCommand.Retain(EXPIRY, TOKEN)));
        assertThat(application()).isEqualTo("billing");
    }

    @Test
    void aRefusalShowsTheApplicationOfTheHolder() {
        put(of("billing", held(EXPIRY, TOKEN - 1)));

        StoreReply reply = write(acquireOf("orders", TOKEN));

        assertThat(reply)
                .isInstanceOfSatisfying(
                        StoreReply.Refused.class,
                        refused -> assertThat(refused.item())
                                .isNotNull()
                                .extracting(AcquireText.APPLICATION::of)
                                .isEqualTo("billing"));
        assertThat(application()).isEqualTo("billing");
    }

    private static LeaseItem of(String application, LeaseItem item) {
        Edits.Builder edits = Edits.builder();
        AcquireText.APPLICATION.addTo(edits, application, Objects.requireNonNull(item.token()));
        return item.with(item.records().after(edits.build()));
    }

    private static final ItemRun LATER =
            new ItemRun("c", "node-1", Instant.ofEpochMilli(TOKEN), "SUCCEEDED", Duration.ofMillis(1_234));

    private static ItemRun run(@Nullable String name) {
        return new ItemRun(name, "node-2", Instant.ofEpochMilli(5), "FAILED", Duration.ofMillis(6));
    }

    private AcquireCommand acquireFor(String run) {
        return with(acquire(TOKEN, null, null, null), once(run));
    }

    private static LeaseItem withRun(LeaseItem item, ItemRun run) {
        return item.with(item.records().after(run.edits()));
    }

    // ---- records: runs and progress

    private static final ItemProgress HALF = new ItemProgress("b", new byte[] {0, -1, 7}, 5L);
    private static final ItemProgress MORE = new ItemProgress(null, new byte[] {8}, 9L);

    private static LeaseItem withProgress(LeaseItem item, ItemProgress progress) {
        return item.with(item.records().after(progress.edits()));
    }

    /** Returns an acquire after which item TTL may remove the item only later. */
    private AcquireCommand keeping(long token, @Nullable Long freeBelow) {
        return with(acquire(token, freeBelow, null, null), kept(KEPT));
    }

    @Test
    void anAcquireThatWouldForgetRecordsIsRefused() {
        put(withRun(released(TOKEN - 1), run("b")));
        assertRefused(acquire(TOKEN, null, null, null));

        put(withProgress(released(TOKEN - 1), HALF));
        assertRefused(acquire(TOKEN, null, null, null));

        put(withRun(released(TOKEN - 1), run(null))); // nothing is decided by it
        assertApplied(acquire(TOKEN, null, null, null));
    }

    @Test
    void anAcquireThatKeepsRecordsTellsOfThemAndHasTwoEnds() {
        put(withProgress(withRun(released(TOKEN - 1), run("b")), HALF));

        StoreReply reply = write(keeping(TOKEN, null));

        assertThat(reply).isInstanceOfSatisfying(StoreReply.Applied.class, applied -> {
            assertThat(applied.before().text(ItemRun.NAME)).isEqualTo("b");
            assertThat(ItemProgress.of(applied.before())).isEqualTo(HALF);
        });
        LeaseItem item = existing(key);
        assertThat(item.expiry()).isEqualTo(EXPIRY);
        assertThat(item.records().keptUntil()).isEqualTo(KEPT);
        assertThat(ItemProgress.of(item.records())).isEqualTo(HALF);
        assertThat(ItemRun.of(item.records())).isEqualTo(run("b"));
    }

    @Test
    void aLeaseEndsBeforeItsItemMayBeRemoved() {
        assertApplied(keeping(TOKEN, null));

        assertRefused(keeping(TOKEN + 1, EXPIRY));
        assertApplied(keeping(TOKEN + 1, EXPIRY + 1));
    }

    @Test
    void aRefusalShowsTheProgress() {
        put(withProgress(held(EXPIRY, TOKEN - 1), HALF));

        assertRefused(keeping(TOKEN, null));
    }

    @Test
    void theEndOfOneLeaseIsNotThatOfTheNext() {
        assertApplied(keeping(TOKEN, null));
        assertApplied(new ReleaseCommand(key, range(1, 7), null, RETAIN, Edits.NONE));
        AcquireCommand next =
                attempt(key, version(OTHERS, 1), EXPIRY + 900, TOKEN + 1, "node-2", 1, null, null, null, null);

        assertApplied(next);

        assertThat(existing(key).expiry()).isEqualTo(EXPIRY + 900);
        assertThat(existing(key).records().keptUntil()).isNull();
        assertRefused(keeping(TOKEN + 2, EXPIRY + 800));
    }

    @Test
    void renewalsAndHoldsMoveBothEnds() {
        for (LeaseCommand command : List.of(
                new RenewCommand(key, version(TENURE, 8), EXPIRY + 9, 61_000, range(1, 7), kept(KEPT + 9)),
                new ReleaseCommand(
                        key,
                        range(1, 7),
                        null,
                        new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY + 9, 1_500, 70, TOKEN),
                        kept(KEPT + 9)))) {
            put(withProgress(released(TOKEN - 1), HALF));
            assertApplied(keeping(TOKEN, null));

            assertApplied(command);

            assertThat(existing(key).expiry()).as("%s", command).isEqualTo(EXPIRY + 9);
            assertThat(existing(key).records().keptUntil()).as("%s", command).isEqualTo(KEPT + 9);
            assertThat(ItemProgress.of(existing(key).records()))
                    .as("%s", command)
                    .isEqualTo(HALF);
        }
    }

    /** The acquire and the renewals of the tenure have one end, so the hold says for which token it has two. */
    @Test
    void aHoldMayHaveTwoEndsAfterALeaseWithOne() {
        for (Long token : List.of(TOKEN, TOKEN - 1)) { // a late copy of an earlier attempt may have left a smaller one
            put(withVersion(version(TENURE, 6), token));
            assertApplied(
                    with(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, TOKEN)), kept(KEPT)));

            assertThat(existing(key).expiry()).isEqualTo(EXPIRY);
            assertThat(existing(key).records().keptUntil()).isEqualTo(KEPT);
            assertThat(existing(key).token()).isEqualTo(TOKEN);
            assertRefused(acquire(TOKEN + 1, EXPIRY, null, null));
            assertApplied(acquire(TOKEN + 1, EXPIRY + 1, null, null));
            assertThat(existing(key).records().keptUntil()).isNull();
        }
    }

    @Test
    void anAcquireNamesItsRunUntilTheNextOne() {
        assertApplied(acquireFor("b"));
        assertThat(AcquireText.RUN.of(existing(key))).isEqualTo("b");
        assertApplied(new ReleaseCommand(key, range(1, 7), null, RETAIN, Edits.NONE));

        assertApplied(keeping(TOKEN + 1, null));

        assertThat(AcquireText.RUN.of(existing(key))).isNull();
    }

    @Test
    void aRenewalWritesTheHistory() {
        put(withVersion(version(TENURE, 6), TOKEN));

        assertApplied(new RenewCommand(key, version(TENURE, 7), EXPIRY, 61_000, range(1, 6), history("1\t2")));

        assertThat(existing(key).records().text(RecordTable.HISTORY)).isEqualTo("1\t2");
    }

    @Test
    void aRenewalWritesProgress() {
        put(withProgress(withVersion(version(TENURE, 6), TOKEN), HALF));

        assertApplied(new RenewCommand(key, version(TENURE, 7), EXPIRY, 61_000, range(1, 6), saving(MORE)));

        assertThat(ItemProgress.of(existing(key).records())).isEqualTo(MORE);
    }

    @Test
    void aRenewalThatIsRefusedWritesNoProgress() {
        put(withProgress(withVersion(version(OTHERS, 6), TOKEN), HALF));

        assertRefused(new RenewCommand(key, version(TENURE, 7), EXPIRY, 61_000, range(1, 6), saving(MORE)));
    }

    private static Edits history(String text) {
        return Edits.builder().set(RecordTable.HISTORY, text).build();
    }

    private static Edits saving(ItemProgress progress) {
        return Edits.builder().add(progress.edits()).keptUntil(KEPT).build();
    }

    @Test
    void aReleaseKeepsRemovesOrWritesProgress() {
        for (ReleaseCommand.Form form :
                List.of(RETAIN, new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, TOKEN))) {
            assertThat(progressAfter(form, Edits.NONE)).isEqualTo(HALF);
            assertThat(progressAfter(form, ItemProgress.CLEAR)).isNull();
            assertThat(progressAfter(form, MORE.edits())).isEqualTo(MORE);
        }
    }

    private @Nullable ItemProgress progressAfter(ReleaseCommand.Form form, Edits progress) {
        put(withProgress(withVersion(version(TENURE, 6), TOKEN), HALF));
        Edits.Builder edits = Edits.builder().add(progress);
        assertApplied(with(
                release(form),
                edits.keptUntil(form instanceof ReleaseCommand.Hold ? KEPT : null)
                        .build()));
        return ItemProgress.of(existing(key).records());
    }

    @Test
    void aReleaseWritesTheHistoryAndAllOtherWritesKeepIt() {
        for (ReleaseCommand.Form form :
                List.of(RETAIN, new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0))) {
            put(withVersion(version(TENURE, 6), TOKEN));
            assertApplied(with(release(form), history("1\t%20\nb")));
            assertThat(existing(key).records().text(RecordTable.HISTORY))
                    .as("%s", form)
                    .isEqualTo("1\t%20\nb");
        }
        put(existing(key));

        assertThat(write(keeping(TOKEN + 1, EXPIRY + 1)))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.before().text(RecordTable.HISTORY))
                                .isEqualTo("1\t%20\nb"));
        assertApplied(new RenewCommand(key, version(TENURE, 8), EXPIRY, 61_000, range(1, 7), saving(MORE)));
        assertApplied(new MarkCommand(key, 50));
        assertApplied(new ReleaseCommand(key, range(1, 8), null, RETAIN, Edits.NONE));

        assertThat(existing(key).records().text(RecordTable.HISTORY)).isEqualTo("1\t%20\nb");
    }

    @Test
    void aReleaseThatWouldForgetRecordsIsRefused() {
        put(withProgress(withVersion(version(TENURE, 6), TOKEN), HALF));

        assertRefused(new ReleaseCommand(key, range(1, 6), null, RETAIN, KeptRecords.NONE));
    }

    // ---- commands at the same time

    @Test
    void ofAcquiresAtTheSameTimeOneIsApplied() {
        for (int round = 0; round < ROUNDS; round++) {
            key = newKey();

            List<StoreReply> replies = atTheSameTime(i -> new StoreRequest.Write(acquireAs(i, key)));

            assertThat(replies)
                    .as("Replies to %d acquires of an absent item, sent at the same time", CALLERS)
                    .filteredOn(StoreReply.Applied.class::isInstance)
                    .hasSize(1);
        }
    }

    @Test
    void ofTakeOversAtTheSameTimeOneIsApplied() {
        for (int round = 0; round < ROUNDS; round++) {
            key = newKey();
            put(held(EXPIRY - 1, TOKEN - 1));

            List<StoreReply> replies = atTheSameTime(i -> new StoreRequest.Write(acquireAs(i, key)));

            assertThat(replies)
                    .as("Replies to %d take-overs of an expired lease, sent at the same time", CALLERS)
                    .filteredOn(StoreReply.Applied.class::isInstance)
                    .hasSize(1);
        }
    }

    @Test
    void aRenewalAndAForcedReleaseAtTheSameTimeLeaveNoRevokedLeaseRenewed() {
        for (int round = 0; round < ROUNDS; round++) {
            key = newKey();
            put(withVersion(version(TENURE, 3), TOKEN));

            atTheSameTime(i -> new StoreRequest.Write(i % 2 == 0 ? renew(range(1, 7)) : refuse(TOKEN)));

            assertThat(existing(key).version())
                    .as("Version after renewals and forced releases at the same time")
                    .isEqualTo(version(NOBODY, 9));
        }
    }

    /** Sends the requests from as many threads, which begin together. */
    private List<StoreReply> atTheSameTime(IntFunction<StoreRequest> requests) {
        CyclicBarrier together = new CyclicBarrier(CALLERS);
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            return IntStream.range(0, CALLERS)
                    .mapToObj(i ->
                            CompletableFuture.supplyAsync(() -> awaitAndSend(together, requests.apply(i)), threads))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        } finally {
            threads.shutdownNow();
        }
    }

    private StoreReply awaitAndSend(CyclicBarrier together, StoreRequest request) {
        try {
            together.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            StoreReply reply = sent(request).toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            assertThat(reply)
                    .as("Reply to %s, sent with others at the same time", request)
                    .matches(
                            known -> known instanceof StoreReply.Applied || known.isSurelyNotWritten(),
                            "applied, or surely not written");
            return reply;
        } catch (InterruptedException | ExecutionException | TimeoutException | BrokenBarrierException e) {
            throw new AssertionError("No reply to " + request, e);
        }
    }

    private static AcquireCommand acquireAs(int caller, String key) {
        String version = String.format("0000000%d", caller) + version(TENURE, 1).substring(8);
        return attempt(key, version, EXPIRY, TOKEN + caller, "node-" + caller, 1, EXPIRY, null, null, null);
    }

    // ---- several items

    /** All or none of a transaction is written, and a refusal shows the items that did not satisfy their conditions. */
    @Nested
    class Transactions {

        private final String a = newKey();
        private final String b = newKey();
        private final String c = newKey();

        @BeforeEach
        void skipWithoutTransactions() {
            assumeTrue(store.info().hasTransactions(), "The store's info says that it has no transactions");
        }

        @Test
        void allIsWrittenWhenAllMayBe() {
            put(released(b));
            put(held(c, OTHERS));

            StoreReply reply = writeAll(acquire(a, null), acquire(b, null), acquire(c, version(OTHERS, 1)));

            assertThat(reply).isInstanceOf(StoreReply.Applied.class);
            assertThat(reply.date()).isNotNull();
            for (String key : List.of(a, b, c)) {
                assertThat(stored(key))
                        .isEqualTo(new LeaseItem(
                                key, version(TENURE, 7), EXPIRY, 60_000L, TOKEN, "node-1", TOKEN - 1, null));
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

            assertThat(existing(a).expiry()).isEqualTo(EXPIRY + 9);
            assertThat(existing(b).expiry()).isEqualTo(EXPIRY + 9);
        }

        @Test
        void aReleaseReleasesAllInEachOfItsForms() {
            for (ReleaseCommand.Form form : List.of(
                    new ReleaseCommand.Retain(EXPIRY, 70),
                    new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0),
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

            StoreReply reply =
                    writeAll(release(a, new ReleaseCommand.Delete()), release(b, new ReleaseCommand.Delete()));

            assertThat(refusals(reply)).containsExactly(new StoreReply.Refusal(b, held(b, OTHERS)));
            assertThat(stored(a)).isEqualTo(held(a, TENURE));
        }

        @Test
        void aReleaseUnlessThereIsARunIsRefusedByTheNameOfARunAndByNothingElse() {
            for (ReleaseCommand.Form form :
                    List.of(new ReleaseCommand.Retain(EXPIRY, 70), new ReleaseCommand.Delete())) {
                put(held(a, TENURE));
                put(withNamedRun(held(b, TENURE), "monday"));
                put(withNamedRun(held(c, TENURE), null));

                StoreReply together = writeAll(unlessRun(a, form), unlessRun(b, form), unlessRun(c, form));
                StoreReply alone = write(unlessRun(b, form));

                assertThat(refusals(together))
                        .containsExactly(new StoreReply.Refusal(b, withNamedRun(held(b, TENURE), "monday")));
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

            StoreReply reply =
                    write(new ReleaseCommand(a, own(), predecessor, new ReleaseCommand.Delete(), KeptRecords.NONE));

            assertThat(item(reply)).isEqualTo(held(a, OTHERS));
        }

        @Test
        void commandsOfSeveralKindsGoTogether() {
            put(held(a, TENURE));

            assertThat(writeAll(renew(a), acquire(b, null))).isInstanceOf(StoreReply.Applied.class);

            assertThat(existing(a).expiry()).isEqualTo(EXPIRY + 9);
            assertThat(existing(b).version()).isEqualTo(version(TENURE, 7));
        }

        @Test
        void asManyItemsAsDynamoDbAllowsAreWrittenTogether() {
            List<LeaseCommand> commands = new ArrayList<>();
            for (int i = 0; i < StoreRequest.Transaction.MAX_COMMANDS; i++) {
                commands.add(acquire(a + i, null));
            }

            assertThat(send(new StoreRequest.Transaction(commands))).isInstanceOf(StoreReply.Applied.class);
            assertThat(stored(a + 99)).isNotNull();
        }
    }

    /** Each write of a batch has the effect of a single one. */
    @Nested
    class Batches {

        private final String a = newKey();
        private final String b = newKey();
        private final String c = newKey();
        private final String d = newKey();

        @BeforeEach
        void skipWithoutBatches() {
            assumeTrue(store.info().hasBatches(), "The store's info says that it has no batches");
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
                    .isEqualTo(
                            new LeaseItem(a, version(TENURE, 7), EXPIRY + 9, 61_000L, TOKEN - 1, "node-2", 1L, null));
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

            assertThat(existing(odd).version()).isEqualTo(version(TENURE, 7));
        }

        @Test
        void asManyAsDynamoDbAllowsGoTogether() {
            List<String> keys = IntStream.range(0, StoreRequest.Batch.MAX_COMMANDS)
                    .mapToObj(i -> a + i)
                    .toList();
            keys.forEach(key -> put(held(key, TENURE)));

            List<StoreReply> replies =
                    renewEach(keys.stream().map(LeaseStoreContract::renew).toArray(RenewCommand[]::new));

            assertThat(replies)
                    .hasSize(StoreRequest.Batch.MAX_COMMANDS)
                    .hasOnlyElementsOfType(StoreReply.Applied.class);
            assertThat(keys).allMatch(key -> Objects.equals(existing(key).expiry(), EXPIRY + 9));
        }

        @Test
        void aRepeatedBatchIsRefusedByWhatItWrote() {
            put(held(a, TENURE));
            put(held(b, TENURE));
            renewEach(renew(a), renew(b));

            List<StoreReply> replies = renewEach(renew(a), renew(b));

            assertThat(replies)
                    .extracting(LeaseStoreContract::item)
                    .extracting(LeaseItem::version)
                    .containsOnly(version(TENURE, 7));
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
            ReleaseCommand.Hold hold = new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY + 3, 1_500, 70, 0);

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
                    .map(key -> new ReleaseCommand(key, own(), predecessor, RETAIN, Edits.NONE))
                    .toArray(ReleaseCommand[]::new));

            assertThat(replies.get(0)).isInstanceOf(StoreReply.Applied.class);
            assertThat(item(replies.get(1))).isEqualTo(held(b, TENURE, 7));
            assertThat(replies.get(2)).isInstanceOf(StoreReply.Applied.class);
            assertThat(item(replies.get(3))).isEqualTo(held(d, OTHERS, 5));
        }

        @Test
        void inABatchTheNameOfARunRefusesOneThatIsUnlessRun() {
            VersionRange predecessor = new VersionRange(version(OTHERS, 3), version(OTHERS, 4));
            put(withNamedRun(held(a, TENURE), "monday"));
            put(withNamedRun(held(b, TENURE), null));
            put(withNamedRun(held(c, OTHERS, 3), "monday"));
            put(withNamedRun(held(d, TENURE), "monday"));

            List<StoreReply> replies = releaseEach(
                    unlessRun(a, RETAIN),
                    unlessRun(b, RETAIN),
                    new ReleaseCommand(c, own(), predecessor, RETAIN, KeptRecords.NONE),
                    release(d, RETAIN));

            assertThat(item(replies.get(0))).isEqualTo(withNamedRun(held(a, TENURE), "monday"));
            assertThat(replies.get(1)).isInstanceOf(StoreReply.Applied.class);
            assertThat(item(replies.get(2))).isEqualTo(withNamedRun(held(c, OTHERS, 3), "monday"));
            assertThat(replies.get(3)).isInstanceOf(StoreReply.Applied.class);
            assertThat(lastRun(d).name()).isEqualTo("monday");
        }

        @Test
        void aBatchRecordsRuns() {
            ItemRun done =
                    new ItemRun("tuesday", "node-3", Instant.ofEpochMilli(5), "SUCCEEDED", Duration.ofMillis(1_234));
            put(held(a, TENURE));
            put(withNamedRun(held(b, TENURE), "monday"));

            releaseEach(
                    new ReleaseCommand(a, own(), null, RETAIN, done.edits()),
                    new ReleaseCommand(
                            b, own(), null, RETAIN, new ItemRun(null, "node-3", null, "FAILED", null).edits()));

            assertThat(ItemRun.of(existing(a).records())).isEqualTo(done);
            assertThat(lastRun(b).name()).isEqualTo("monday");
            assertThat(lastRun(b).outcome()).isEqualTo("FAILED");
        }

        @Test
        void aBatchShowsAndRemovesTheMarksOfWaiters() {
            ReleaseCommand.Hold hold = new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70, 0);
            put(marked(held(a, TENURE), 77L));
            put(held(b, TENURE));
            put(marked(held(c, TENURE), 78L));
            put(marked(held(d, OTHERS), 79L));

            List<StoreReply> replies =
                    releaseEach(release(a, RETAIN), release(b, RETAIN), release(c, hold), release(d, RETAIN));

            assertThat(replies.subList(0, 3))
                    .extracting(reply -> ((StoreReply.Applied) reply).waitingSinceMillis())
                    .containsExactly(77L, null, 78L);
            assertThat(existing(a).waitingSinceMillis()).isNull();
            assertThat(existing(c).waitingSinceMillis()).isNull();
            assertThat(existing(d).waitingSinceMillis()).isEqualTo(79L);
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

            assertThat(replies)
                    .hasSize(StoreRequest.Batch.MAX_COMMANDS)
                    .hasOnlyElementsOfType(StoreReply.Applied.class);
            assertThat(keys).noneMatch(LeaseStoreContract.this::isOurs);
        }

        private List<StoreReply> releaseEach(ReleaseCommand... commands) {
            return each(commands);
        }

        private List<StoreReply> renewEach(RenewCommand... commands) {
            return each(commands);
        }

        private List<StoreReply> each(LeaseCommand... commands) {
            return replyTo(new StoreRequest.Batch(List.of(commands)), StoreReply.Each.class)
                    .replies();
        }
    }

    // ---- helpers

    private AcquireCommand acquire(
            long token, @Nullable Long freeBelow, @Nullable String dead, @Nullable VersionRange own) {
        return attempt(key, version(TENURE, 7), EXPIRY, token, "node-1", token - 1, freeBelow, dead, own, null);
    }

    /** An attempt that is neither for a run nor for a permit. */
    private static AcquireCommand attempt(
            String key,
            String version,
            long expiry,
            long token,
            String owner,
            long acquiredAt,
            @Nullable Long freeBelow,
            @Nullable String dead,
            @Nullable VersionRange own,
            @Nullable VersionRange predecessor) {
        return new AcquireCommand(
                key,
                version,
                expiry,
                60_000,
                token,
                owner,
                acquiredAt,
                freeBelow,
                dead,
                own,
                predecessor,
                KeptRecords.NONE);
    }

    /** Returns the command with these edits instead of its own. */
    private static AcquireCommand with(AcquireCommand command, Edits edits) {
        return new AcquireCommand(
                command.key(),
                command.version(),
                command.expiry(),
                command.durationMillis(),
                command.token(),
                command.owner(),
                command.acquiredAtMillis(),
                command.freeBelow(),
                command.deadVersion(),
                command.own(),
                command.predecessor(),
                edits);
    }

    private static ReleaseCommand with(ReleaseCommand command, Edits edits) {
        return new ReleaseCommand(command.key(), command.own(), command.predecessor(), command.form(), edits);
    }

    private AcquireCommand handOver(VersionRange predecessor) {
        return attempt(key, version(TENURE, 7), EXPIRY, TOKEN, "node-1", TOKEN - 1, null, null, null, predecessor);
    }

    private LeaseItem others(int number) {
        return new LeaseItem(key, version(OTHERS, number), EXPIRY, 60_000L, TOKEN - 1, "node-1", 1L, null);
    }

    private static LeaseItem marked(LeaseItem item, long since) {
        return Changes.with(item, since, item.records());
    }

    private RenewCommand renew(VersionRange own) {
        return new RenewCommand(key, version(TENURE, 7), EXPIRY + 9, 61_000, own, Edits.NONE);
    }

    private ReleaseCommand release(ReleaseCommand.Form form) {
        return new ReleaseCommand(key, range(1, 6), null, form, Edits.NONE);
    }

    private static VersionRange range(int first, int last) {
        return range(TENURE, first, last);
    }

    private static VersionRange range(String tenure, int first, int last) {
        return new VersionRange(version(tenure, first), version(tenure, last));
    }

    private static String version(String tenure, int number) {
        return tenure + String.format("-%08x", number);
    }

    private LeaseItem held(@Nullable Long expiry, long token) {
        return new LeaseItem(key, version(OTHERS, 1), expiry, 60_000L, token, "node-2", 1L, null);
    }

    private LeaseItem withVersion(String version, long token) {
        return new LeaseItem(key, version, EXPIRY, 60_000L, token, "node-1", 1L, null);
    }

    private LeaseItem released(long token) {
        return new LeaseItem(key, null, EXPIRY, 60_000L, token, "node-2", 1L, 2L);
    }

    /** Asserts that the write is applied, and that an acquire has left its lease. */
    private void assertApplied(LeaseCommand command) {
        LeaseItem before = stored(command.key());

        assertThat(write(command)).as("Reply to %s on %s", command, before).isInstanceOf(StoreReply.Applied.class);

        if (command instanceof AcquireCommand acquire) {
            LeaseItem after = existing(command.key());
            assertThat(after.version())
                    .as("Version after %s on %s", command, before)
                    .isEqualTo(acquire.version());
            assertThat(after.token())
                    .as("Token after %s on %s", command, before)
                    .isEqualTo(acquire.token());
        }
    }

    /** Asserts that the reply shows the item and that the item is unchanged. */
    private void assertRefused(LeaseCommand command) {
        LeaseItem before = stored(command.key());

        StoreReply reply = write(command);

        assertThat(reply).as("Reply to %s on %s", command, before).isInstanceOf(StoreReply.Refused.class);
        assertThat(((StoreReply.Refused) reply).item())
                .as("Item that the refusal of %s shows", command)
                .isEqualTo(showsItemsOfRefusals() ? before : null);
        assertThat(stored(command.key())).as("Item after refused %s", command).isEqualTo(before);
    }

    /** Returns the stored item, which must exist. */
    private LeaseItem existing(String key) {
        LeaseItem item = stored(key);
        if (item == null) {
            throw new AssertionError("No item of key '" + key + "', expected one");
        }
        return item;
    }

    private ItemRun lastRun(String key) {
        LeaseItem item = existing(key);
        ItemRun run = ItemRun.of(item.records());
        if (run == null) {
            throw new AssertionError("No last run in " + item + ", expected one");
        }
        return run;
    }

    private StoreReply write(LeaseCommand command) {
        return send(new StoreRequest.Write(command));
    }

    private StoreReply send(StoreRequest request) {
        return reply(request, sent(request));
    }

    private CompletionStage<StoreReply> sent(StoreRequest request) {
        CompletionStage<StoreReply> stage;
        try {
            stage = store.send(request, TIMEOUT);
        } catch (RuntimeException e) {
            throw new AssertionError("Store threw at " + request + ", expected a stage", e);
        }
        assertThat(stage).as("Stage of %s", request).isNotNull();
        return stage;
    }

    private static StoreReply reply(StoreRequest request, CompletionStage<StoreReply> stage) {
        StoreReply reply;
        try {
            reply = stage.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("No reply within " + TIMEOUT.toSeconds() + " s to " + request, e);
        } catch (ExecutionException e) {
            throw new AssertionError(
                    "Stage of " + request + " completed exceptionally, expected a reply: failures are"
                            + " StoreReply.Failed",
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for the reply to " + request, e);
        }
        if (reply instanceof StoreReply.Failed failed) {
            throw new AssertionError(request + " failed: " + failed, failed.cause());
        }
        return reply;
    }

    private <T extends StoreReply> T replyTo(StoreRequest request, Class<T> kind) {
        StoreReply reply = send(request);
        assertThat(reply).as("Reply to %s", request).isInstanceOf(kind);
        return kind.cast(reply);
    }

    private static ReleaseCommand unlessRun(String key, ReleaseCommand.Form form) {
        return new ReleaseCommand(key, own(), null, form, KeptRecords.NONE);
    }

    private static LeaseItem withNamedRun(LeaseItem item, @Nullable String name) {
        return withRun(item, new ItemRun(name, "node-2", null, "SUCCEEDED", Duration.ofSeconds(3)));
    }

    private static @Nullable LeaseItem item(StoreReply reply) {
        assertThat(reply).as("Reply to a command whose condition does not hold").isInstanceOf(StoreReply.Refused.class);
        return ((StoreReply.Refused) reply).item();
    }

    private static List<StoreReply.Refusal> refusals(StoreReply reply) {
        assertThat(reply)
                .as("Reply to a transaction with a command whose condition does not hold")
                .isInstanceOf(StoreReply.GroupRefused.class);
        return ((StoreReply.GroupRefused) reply).refusals();
    }

    private StoreReply writeAll(LeaseCommand... commands) {
        return send(new StoreRequest.Transaction(List.of(commands)));
    }

    private static AcquireCommand acquire(String key, @Nullable String dead) {
        return attempt(key, version(TENURE, 7), EXPIRY, TOKEN, "node-1", TOKEN - 1, null, dead, null, null);
    }

    private static RenewCommand renew(String key) {
        return new RenewCommand(key, version(TENURE, 7), EXPIRY + 9, 61_000, own(), Edits.NONE);
    }

    private static ReleaseCommand release(String key, ReleaseCommand.Form form) {
        return new ReleaseCommand(key, own(), null, form, Edits.NONE);
    }

    private static VersionRange own() {
        return new VersionRange(version(TENURE, 1), version(TENURE, 6));
    }

    private boolean isOurs(String key) {
        LeaseItem item = stored(key);
        return item != null && item.version() != null && item.version().startsWith(TENURE);
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
