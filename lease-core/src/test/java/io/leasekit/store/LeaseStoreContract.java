package io.leasekit.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of every {@link LeaseStore}: each term of each condition at its edges, the attributes that a write sets, keeps and
 * removes, and the item that a refusal shows. The conditions are defined by the Javadoc of the commands.
 */
public abstract class LeaseStoreContract {

    private static final String TENURE = "5f2b0c52-7d7e-4b64-9b0f-0f6d3f9f4a11";
    private static final String OTHERS = "a1b3cf3e-0a58-4d8f-8a7e-6b1f2f5a9c22";
    private static final String NOBODY = "00000000-0000-0000-0000-000000000000";
    private static final long EXPIRY = 2_000_000_000L;
    private static final long TOKEN = 1_900_000_000_000L;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private LeaseStore store;
    private String key;

    /** Returns the store under test. */
    protected abstract LeaseStore store();

    /** Returns a key that no other test uses. */
    protected abstract String newKey();

    /** Stores an item, in place of one that is there. */
    protected abstract void put(LeaseItem item);

    /** Returns the stored item; {@code null} if there is none. */
    protected abstract @Nullable LeaseItem stored(String key);

    /** Returns the time that the store's replies should carry. */
    protected abstract Instant now();

    @BeforeEach
    void begin() {
        store = store();
        key = newKey();
    }

    // ---- acquire: the lease may be taken

    @Test
    void acquireTakesAnAbsentItem() {
        assertThat(reply(store.send(new StoreRequest.Write(acquire(TOKEN, null, null, null)), TIMEOUT)))
                .isInstanceOf(StoreReply.Applied.class);
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
        assertThat(stored(key)).extracting(LeaseItem::permits).isEqualTo(3L);

        assertApplied(store.send(new StoreRequest.Write(renew(range(1, 7))), TIMEOUT));
        ReleaseCommand.Form retain = new ReleaseCommand.Retain(EXPIRY, TOKEN);
        assertApplied(
                store.send(new StoreRequest.Write(new ReleaseCommand(key, range(1, 7), null, retain, null)), TIMEOUT));
        assertThat(stored(key)).extracting(LeaseItem::permits).isEqualTo(3L);

        assertApplied(acquireOfPermits(TOKEN + 1, null));
        assertThat(stored(key)).extracting(LeaseItem::permits).isEqualTo(3L);
    }

    private AcquireCommand acquireOfPermits(long token, @Nullable Integer permits) {
        String version = version(TENURE, 7);
        return new AcquireCommand(
                key, version, EXPIRY, 60_000, token, "node-1", token - 1, null, null, null, null, null, permits);
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
        return new AcquireCommand(
                key,
                version(TENURE, 7),
                EXPIRY,
                60_000,
                TOKEN,
                "node-1",
                TOKEN - 1,
                EXPIRY,
                version(OTHERS, 9),
                range(1, 6),
                range(OTHERS, 1, 3),
                once,
                null);
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
        assertApplied(store.send(
                new StoreRequest.Write(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70))),
                TIMEOUT));

        assertRefused(acquire(TOKEN, EXPIRY, null, range(1, 6)));
        assertApplied(acquire(TOKEN, EXPIRY + 1, null, null));
    }

    // ---- renew

    @Test
    void renewMovesTheEndOfEachVersionInItsRange() {
        for (int number = 1; number <= 6; number++) {
            put(withVersion(version(TENURE, number), TOKEN));

            assertApplied(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT));
            assertThat(stored(key).version()).isEqualTo(version(TENURE, 7));
        }
    }

    @Test
    void renewSetsVersionExpiryAndDurationOnly() {
        put(new LeaseItem(key, version(TENURE, 3), 5L, 1L, 6L, "owner", 7L, 8L));

        assertApplied(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT));

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
        assertRefused(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT));
    }

    @Test
    void renewCreatesNoItem() {
        assertRefused(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT));
    }

    @Test
    void versionsSortByNumberBeyondTheFirstDigits() {
        put(withVersion(version(TENURE, 0x1f), TOKEN));
        assertApplied(store.send(new StoreRequest.Write(renew(range(1, 0x20))), TIMEOUT));

        put(withVersion(version(TENURE, 0x100), TOKEN));
        assertRefused(store.send(new StoreRequest.Write(renew(range(1, 0xff))), TIMEOUT));
    }

    // ---- release

    @Test
    void retainKeepsTheItemWithoutItsVersionAndDuration() {
        put(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, 6L, "owner", 7L, null));

        assertApplied(store.send(new StoreRequest.Write(release(new ReleaseCommand.Retain(EXPIRY, 70))), TIMEOUT));

        assertThat(stored(key)).isEqualTo(new LeaseItem(key, null, EXPIRY, null, 6L, "owner", 7L, 70L));
    }

    @Test
    void holdLeavesALeaseOfAnotherTenure() {
        put(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, 6L, "owner", 7L, null));

        assertApplied(store.send(
                new StoreRequest.Write(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70))),
                TIMEOUT));

        assertThat(stored(key)).isEqualTo(new LeaseItem(key, version(OTHERS, 9), EXPIRY, 1_500L, 6L, "owner", 7L, 70L));
    }

    @Test
    void deleteRemovesTheItem() {
        put(withVersion(version(TENURE, 3), TOKEN));

        assertApplied(store.send(new StoreRequest.Write(release(new ReleaseCommand.Delete())), TIMEOUT));

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
        assertRefused(store.send(new StoreRequest.Write(release(new ReleaseCommand.Retain(EXPIRY, 70))), TIMEOUT));
        assertRefused(store.send(
                new StoreRequest.Write(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1, 70))), TIMEOUT));
        assertRefused(store.send(new StoreRequest.Write(release(new ReleaseCommand.Delete())), TIMEOUT));
    }

    @Test
    void everyFormOfReleaseIsRefusedWithoutAnItemAndCreatesNone() {
        assertRefused(store.send(new StoreRequest.Write(release(new ReleaseCommand.Retain(EXPIRY, 70))), TIMEOUT));
        assertRefused(store.send(
                new StoreRequest.Write(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1, 70))), TIMEOUT));
        assertRefused(store.send(new StoreRequest.Write(release(new ReleaseCommand.Delete())), TIMEOUT));
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

        StoreReply reply = reply(store.send(new StoreRequest.ReadEach(List.of(released, absent, key)), TIMEOUT));

        assertThat(reply).isInstanceOfSatisfying(StoreReply.FoundEach.class, found -> {
            assertThat(found.items()).containsExactlyInAnyOrder(free, held(EXPIRY, TOKEN));
            assertThat(found.unread()).isEmpty();
        });
    }

    @Test
    void readingSeveralKeysOfWhichNoneExistsShowsNoItem() {
        StoreReply reply = reply(store.send(new StoreRequest.ReadEach(List.of(key + "-absent", key)), TIMEOUT));

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

        assertThat(reply(store.send(new StoreRequest.ReadEach(keys), TIMEOUT)))
                .isInstanceOfSatisfying(
                        StoreReply.FoundEach.class,
                        found -> assertThat(found.items()).containsExactly(held(EXPIRY, TOKEN)));
    }

    private StoreReply.Found read() {
        StoreReply reply = reply(store.send(new StoreRequest.Read(key), TIMEOUT));
        assertThat(reply).isInstanceOf(StoreReply.Found.class);
        return (StoreReply.Found) reply;
    }

    // ---- revoke

    @Test
    void revokeChangesTheVersionOnly() {
        put(marked(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "owner", 7L, 8L), 50));

        assertApplied(store.send(new StoreRequest.Write(refuse(TOKEN)), TIMEOUT));

        assertThat(stored(key))
                .isEqualTo(marked(new LeaseItem(key, version(NOBODY, 9), 5L, 60_000L, TOKEN, "owner", 7L, 8L), 50));
    }

    @Test
    void revokeAtOnceLeavesWhatAReleaseLeaves() {
        put(marked(new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "owner", 7L, null), 50));

        assertApplied(store.send(new StoreRequest.Write(free(TOKEN)), TIMEOUT));

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
        assertRefused(store.send(new StoreRequest.Write(refuse(TOKEN)), TIMEOUT));
        assertRefused(store.send(new StoreRequest.Write(free(TOKEN)), TIMEOUT));
    }

    @Test
    void aRevokedLeaseIsRenewedAndReleasedNoMoreAndRevokedAgain() {
        put(withVersion(version(TENURE, 3), TOKEN));
        assertApplied(store.send(new StoreRequest.Write(refuse(TOKEN)), TIMEOUT));

        assertRefused(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT));
        assertRefused(store.send(new StoreRequest.Write(release(new ReleaseCommand.Retain(EXPIRY, 70))), TIMEOUT));
        assertApplied(store.send(new StoreRequest.Write(refuse(TOKEN)), TIMEOUT));
        assertApplied(store.send(new StoreRequest.Write(free(TOKEN)), TIMEOUT));
    }

    @Test
    void aRevokedLeaseIsAcquiredOnceItsExpiryIsOver() {
        put(withVersion(version(TENURE, 3), TOKEN - 1));
        assertApplied(store.send(new StoreRequest.Write(refuse(TOKEN - 1)), TIMEOUT));

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
        StoreReply reply = reply(store.send(new StoreRequest.Scan(prefix, limit, after), TIMEOUT));
        assertThat(reply).isInstanceOf(StoreReply.Listed.class);
        assertThat(((StoreReply.Listed) reply).malformed()).isEmpty();
        return (StoreReply.Listed) reply;
    }

    // ---- replies

    @Test
    void everyReplyTellsTheStoresTimeCutToTheSecond() {
        assertDated(store.send(new StoreRequest.Write(acquire(TOKEN, null, null, null)), TIMEOUT));
        assertDated(store.send(new StoreRequest.Write(acquire(TOKEN, null, null, null)), TIMEOUT)); // refused
        assertDated(store.send(new StoreRequest.Read(key), TIMEOUT));
        assertDated(store.send(new StoreRequest.ReadEach(List.of(key, key + "-absent")), TIMEOUT));
        assertDated(store.send(new StoreRequest.Scan("", 1, null), TIMEOUT));
        assertDated(store.send(new StoreRequest.Write(renew(range(1, 7))), TIMEOUT));
        assertDated(store.send(new StoreRequest.Write(release(new ReleaseCommand.Delete())), TIMEOUT)); // refused
    }

    private void assertDated(CompletionStage<StoreReply> stage) {
        Instant before = now();
        Instant date = reply(stage).date();

        assertThat(date).isNotNull();
        assertThat(date).isEqualTo(date.truncatedTo(ChronoUnit.SECONDS));
        assertThat(date).isBetween(before.minusSeconds(1), now()); // cut, and at most a second of caching
    }

    @Test
    void nothingIsSentTwice() {
        assertThat(reply(store.send(new StoreRequest.Write(acquire(TOKEN, null, null, null)), TIMEOUT))
                        .resent())
                .isFalse();
        assertThat(reply(store.send(new StoreRequest.Write(acquire(TOKEN, null, null, null)), TIMEOUT))
                        .resent())
                .isFalse();
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
        ReleaseCommand release =
                new ReleaseCommand(key, range(1, 6), range(OTHERS, 1, 3), new ReleaseCommand.Retain(EXPIRY, 70), null);
        put(others(3));
        assertApplied(store.send(new StoreRequest.Write(release), TIMEOUT));

        put(withVersion(version(TENURE, 6), TOKEN));
        assertApplied(store.send(new StoreRequest.Write(release), TIMEOUT));

        put(others(4));
        assertRefused(store.send(new StoreRequest.Write(release), TIMEOUT));
    }

    @Test
    void markTellsOfAWaiterOnce() {
        put(others(3));

        assertApplied(store.send(new StoreRequest.Write(new MarkCommand(key, 50)), TIMEOUT));
        assertRefused(store.send(new StoreRequest.Write(new MarkCommand(key, 60)), TIMEOUT));

        assertThat(stored(key)).isEqualTo(marked(others(3), 50));
    }

    @Test
    void markIsRefusedWhereNobodyHolds() {
        assertRefused(store.send(new StoreRequest.Write(new MarkCommand(key, 50)), TIMEOUT));

        put(released(TOKEN));
        assertRefused(store.send(new StoreRequest.Write(new MarkCommand(key, 50)), TIMEOUT));
    }

    // ---- pauses

    @Test
    void pausesAreWrittenWhereThereAreNoneAndChangeNothingElse() {
        assertApplied(store.send(new StoreRequest.Write(new PauseCommand(key, null, "one")), TIMEOUT));
        assertThat(stored(key))
                .isEqualTo(withPauses(new LeaseItem(key, null, null, null, null, null, null, null), "one"));
        assertRefused(store.send(new StoreRequest.Write(new PauseCommand(key, null, "two")), TIMEOUT));

        key = newKey();
        put(others(3));
        assertApplied(store.send(new StoreRequest.Write(new PauseCommand(key, null, "one")), TIMEOUT));
        assertThat(stored(key)).isEqualTo(withPauses(others(3), "one"));
    }

    @Test
    void pausesAreReplacedIfTheyAreTheExpectedOnes() {
        put(withPauses(others(3), "one"));

        assertRefused(store.send(new StoreRequest.Write(new PauseCommand(key, null, "three")), TIMEOUT));
        assertRefused(store.send(new StoreRequest.Write(new PauseCommand(key, "two", "three")), TIMEOUT));
        assertApplied(store.send(new StoreRequest.Write(new PauseCommand(key, "one", "two")), TIMEOUT));

        assertThat(stored(key)).isEqualTo(withPauses(others(3), "two"));
    }

    private static LeaseItem withPauses(LeaseItem item, String pauses) {
        return with(item, item.waitingSinceMillis(), item.lastRun(), pauses);
    }

    @Test
    void handOverTellsOfTheMarkAndKeepsIt() {
        put(marked(others(3), 50));

        assertThat(reply(store.send(new StoreRequest.Write(handOver(range(OTHERS, 1, 3))), TIMEOUT)))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.waitingSinceMillis()).isEqualTo(50));
        assertThat(stored(key).waitingSinceMillis()).isEqualTo(50);
    }

    @Test
    void renewKeepsTheMarkAndDoesNotTellOfIt() {
        put(marked(withVersion(version(TENURE, 3), TOKEN), 50));

        assertThat(reply(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT)))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.waitingSinceMillis()).isNull());
        assertThat(stored(key).waitingSinceMillis()).isEqualTo(50);
    }

    @Test
    void acquireAndReleaseRemoveTheMark() {
        put(marked(held(EXPIRY - 1, TOKEN - 1), 50));
        assertApplied(acquire(TOKEN, EXPIRY, null, null));
        assertThat(stored(key).waitingSinceMillis()).isNull();

        put(marked(withVersion(version(TENURE, 3), TOKEN), 50));
        assertApplied(store.send(new StoreRequest.Write(release(new ReleaseCommand.Retain(EXPIRY, 70))), TIMEOUT));
        assertThat(stored(key).waitingSinceMillis()).isNull();

        put(marked(withVersion(version(TENURE, 3), TOKEN), 50));
        assertApplied(store.send(
                new StoreRequest.Write(release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70))),
                TIMEOUT));
        assertThat(stored(key).waitingSinceMillis()).isNull();
    }

    @Test
    void releaseThatKeepsTheItemTellsOfTheMark() {
        for (ReleaseCommand.Form form : List.of(
                new ReleaseCommand.Retain(EXPIRY, 70),
                new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70))) {
            put(marked(withVersion(version(TENURE, 3), TOKEN), 50));

            assertThat(reply(store.send(new StoreRequest.Write(release(form)), TIMEOUT)))
                    .isInstanceOfSatisfying(StoreReply.Applied.class, applied -> {
                        assertThat(applied.waitingSinceMillis()).isEqualTo(50);
                        assertThat(applied.hasRun()).isFalse();
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

        assertRefused(new AcquireCommand(
                key,
                version(TENURE, 7),
                EXPIRY,
                60_000,
                TOKEN,
                "node-1",
                TOKEN - 1,
                EXPIRY,
                version(OTHERS, 1),
                range(OTHERS, 1, 3),
                range(OTHERS, 1, 3),
                "b",
                null));
    }

    @Test
    void anAcquireForNoRunTakesAnItemWithAnyRunTellsOfItAndKeepsIt() {
        put(withRun(released(TOKEN - 1), run("b")));

        StoreReply reply = reply(store.send(new StoreRequest.Write(acquire(TOKEN, null, null, null)), TIMEOUT));

        assertThat(reply)
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.hasRun()).isTrue());
        assertThat(stored(key).lastRun()).isEqualTo(run("b"));
    }

    @Test
    void anAcquireTellsThatThereWasNoRun() {
        put(withRun(released(TOKEN - 1), run(null)));

        assertThat(reply(store.send(new StoreRequest.Write(acquireFor("b")), TIMEOUT)))
                .isInstanceOfSatisfying(
                        StoreReply.Applied.class,
                        applied -> assertThat(applied.hasRun()).isFalse());
    }

    @Test
    void renewMarkAndAReleaseWithoutARunKeepTheLastOne() {
        LeaseItem mine = withRun(withVersion(version(TENURE, 6), TOKEN), run("b"));
        for (LeaseCommand command : List.of(
                renew(range(1, 6)),
                new MarkCommand(key, 50),
                release(new ReleaseCommand.Retain(EXPIRY, 70)),
                release(new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70)))) {
            put(mine);

            assertApplied(store.send(new StoreRequest.Write(command), TIMEOUT));

            assertThat(stored(key).lastRun()).as("%s", command).isEqualTo(run("b"));
        }
    }

    @Test
    void aReleaseRecordsARun() {
        for (ReleaseCommand.Form form : List.of(
                new ReleaseCommand.Retain(EXPIRY, 70),
                new ReleaseCommand.Hold(version(OTHERS, 9), EXPIRY, 1_500, 70))) {
            put(withRun(withVersion(version(TENURE, 6), TOKEN), run("b")));

            assertApplied(store.send(
                    new StoreRequest.Write(new ReleaseCommand(key, range(1, 6), null, form, LATER)), TIMEOUT));

            assertThat(stored(key).lastRun()).as("%s", form).isEqualTo(LATER);
        }
    }

    @Test
    void aRunWithoutANameLeavesTheNameOfTheOneBefore() {
        put(withRun(withVersion(version(TENURE, 6), TOKEN), run("b")));
        ItemRun nameless = new ItemRun(null, LATER.owner(), LATER.begunAt(), LATER.outcome(), LATER.duration());

        assertApplied(store.send(
                new StoreRequest.Write(
                        new ReleaseCommand(key, range(1, 6), null, new ReleaseCommand.Retain(EXPIRY, 70), nameless)),
                TIMEOUT));

        assertThat(stored(key).lastRun())
                .isEqualTo(new ItemRun("b", LATER.owner(), LATER.begunAt(), LATER.outcome(), LATER.duration()));
    }

    @Test
    void aReleaseThatIsRefusedRecordsNothing() {
        put(withRun(withVersion(version(OTHERS, 6), TOKEN), run("b")));

        assertRefused(store.send(
                new StoreRequest.Write(
                        new ReleaseCommand(key, range(1, 6), null, new ReleaseCommand.Retain(EXPIRY, 70), LATER)),
                TIMEOUT));
    }

    // ---- the application of the owner

    private AcquireCommand acquireOf(@Nullable String application, long token) {
        return new AcquireCommand(
                key,
                version(TENURE, 7),
                EXPIRY,
                60_000,
                token,
                "node-1",
                token - 1,
                null,
                null,
                range(1, 6),
                null,
                null,
                null,
                application);
    }

    private @Nullable String application() {
        LeaseItem item = stored(key);
        return item == null ? null : item.application();
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

        assertApplied(store.send(new StoreRequest.Write(renew(range(1, 6))), TIMEOUT));
        assertThat(application()).isEqualTo("billing");
        assertApplied(store.send(new StoreRequest.Write(new MarkCommand(key, 5)), TIMEOUT));
        assertThat(application()).isEqualTo("billing");
        assertApplied(store.send(
                new StoreRequest.Write(new RevokeCommand(key, TOKEN, new RevokeCommand.Refuse(version(NOBODY, 9)))),
                TIMEOUT));
        assertThat(application()).isEqualTo("billing");
        assertApplied(store.send(
                new StoreRequest.Write(new RevokeCommand(key, TOKEN, new RevokeCommand.Free(EXPIRY, TOKEN))), TIMEOUT));
        assertThat(application()).isEqualTo("billing");
    }

    @Test
    void releasesKeepTheApplication() {
        put(of("billing", new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "node-1", 7L, null)));

        assertApplied(store.send(
                new StoreRequest.Write(release(new ReleaseCommand.Hold(version(OTHERS, 1), EXPIRY, 1_500, TOKEN))),
                TIMEOUT));
        assertThat(application()).isEqualTo("billing");
        put(of("billing", new LeaseItem(key, version(TENURE, 3), 5L, 60_000L, TOKEN, "node-1", 7L, null)));
        assertApplied(store.send(new StoreRequest.Write(release(new ReleaseCommand.Retain(EXPIRY, TOKEN))), TIMEOUT));
        assertThat(application()).isEqualTo("billing");
    }

    @Test
    void aRefusalShowsTheApplicationOfTheHolder() {
        put(of("billing", held(EXPIRY, TOKEN - 1)));

        StoreReply reply = reply(store.send(new StoreRequest.Write(acquireOf("orders", TOKEN)), TIMEOUT));

        assertThat(reply)
                .isInstanceOfSatisfying(
                        StoreReply.Refused.class,
                        refused -> assertThat(refused.item().application()).isEqualTo("billing"));
        assertThat(application()).isEqualTo("billing");
    }

    private static LeaseItem of(String application, LeaseItem item) {
        return new LeaseItem(
                item.key(),
                item.version(),
                item.expiry(),
                item.durationMillis(),
                item.token(),
                item.owner(),
                item.acquiredAtMillis(),
                item.releasedAtMillis(),
                item.waitingSinceMillis(),
                item.lastRun(),
                item.permits(),
                item.pauses(),
                application);
    }

    private static final ItemRun LATER =
            new ItemRun("c", "node-1", Instant.ofEpochMilli(TOKEN), "SUCCEEDED", Duration.ofMillis(1_234));

    private static ItemRun run(@Nullable String name) {
        return new ItemRun(name, "node-2", Instant.ofEpochMilli(5), "FAILED", Duration.ofMillis(6));
    }

    private AcquireCommand acquireFor(String run) {
        return new AcquireCommand(
                key, version(TENURE, 7), EXPIRY, 60_000, TOKEN, "node-1", TOKEN - 1, null, null, null, null, run, null);
    }

    private static LeaseItem withRun(LeaseItem item, ItemRun run) {
        return with(item, item.waitingSinceMillis(), run, item.pauses());
    }

    // ---- helpers

    private AcquireCommand acquire(
            long token, @Nullable Long freeBelow, @Nullable String dead, @Nullable VersionRange own) {
        return new AcquireCommand(
                key, version(TENURE, 7), EXPIRY, 60_000, token, "node-1", token - 1, freeBelow, dead, own, null);
    }

    private AcquireCommand handOver(VersionRange predecessor) {
        return new AcquireCommand(
                key, version(TENURE, 7), EXPIRY, 60_000, TOKEN, "node-1", TOKEN - 1, null, null, null, predecessor);
    }

    private LeaseItem others(int number) {
        return new LeaseItem(key, version(OTHERS, number), EXPIRY, 60_000L, TOKEN - 1, "node-1", 1L, null);
    }

    private static LeaseItem marked(LeaseItem item, long since) {
        return with(item, since, item.lastRun(), item.pauses());
    }

    /** Returns the item with these attributes instead of its own. */
    static LeaseItem with(
            LeaseItem item, @Nullable Long waitingSince, @Nullable ItemRun lastRun, @Nullable String pauses) {
        return new LeaseItem(
                item.key(),
                item.version(),
                item.expiry(),
                item.durationMillis(),
                item.token(),
                item.owner(),
                item.acquiredAtMillis(),
                item.releasedAtMillis(),
                waitingSince,
                lastRun,
                item.permits(),
                pauses,
                item.application());
    }

    private RenewCommand renew(VersionRange own) {
        return new RenewCommand(key, version(TENURE, 7), EXPIRY + 9, 61_000, own);
    }

    private ReleaseCommand release(ReleaseCommand.Form form) {
        return new ReleaseCommand(key, range(1, 6), null, form, null);
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

    private void assertApplied(AcquireCommand command) {
        assertApplied(store.send(new StoreRequest.Write(command), TIMEOUT));
        assertThat(stored(key).version()).isEqualTo(command.version());
        assertThat(stored(key).token()).isEqualTo(command.token());
    }

    private void assertRefused(AcquireCommand command) {
        assertRefused(store.send(new StoreRequest.Write(command), TIMEOUT));
    }

    private static void assertApplied(CompletionStage<StoreReply> stage) {
        assertThat(reply(stage)).isInstanceOf(StoreReply.Applied.class);
    }

    /** Returns whether the database shows the item that a write was refused for, as DynamoDB does. */
    protected boolean showsItemsOfRefusals() {
        return true;
    }

    /** Asserts that the reply shows the item and that the item is unchanged. */
    private void assertRefused(CompletionStage<StoreReply> stage) {
        LeaseItem before = stored(key);
        StoreReply reply = reply(stage);

        assertThat(reply).isInstanceOf(StoreReply.Refused.class);
        assertThat(((StoreReply.Refused) reply).item()).isEqualTo(showsItemsOfRefusals() ? before : null);
        assertThat(stored(key)).isEqualTo(before);
    }

    private static StoreReply reply(CompletionStage<StoreReply> stage) {
        try {
            return stage.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("No reply", e);
        }
    }
}
