package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.EngineBuilder;
import io.leasekit.engine.VirtualTime;
import io.leasekit.fuzz.Draws;
import io.leasekit.store.CommandEffect;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items of other writers: each is read or refused with the name of its attribute, and none that is held counts as free. */
class ItemsFuzzTest {

    @Test
    @Tag("each-build")
    void theSameItemsInEachBuild() {
        Draws.deterministic(2_000, Target::check);
    }

    @FuzzTest
    void anItemIsReadOrRefusedAndIsFreeOnlyIfARuleSaysSo(byte[] data) {
        Target.check(data);
    }

    /** Apart from the test: see {@link Draws}. */
    private static final class Target {

        private static final String KEY = "key";

        /** The engine's default for items without a usable ttl. */
        private static final Duration OBSERVATION_TIME = Duration.ofMinutes(5);

        private static final long START = VirtualTime.START.getEpochSecond();
        private static final BigDecimal LAST_SECOND = BigDecimal.valueOf(Instant.MAX.getEpochSecond());

        static void check(byte[] data) {
            Map<String, AttributeValue> attributes = ForeignItems.draw(KEY, new Draws(data));
            LeaseItem item;
            try {
                item = ItemMapping.item(KEY, attributes);
            } catch (LeaseStoreException e) {
                assertThat(e).hasMessageContaining("is not a lease").hasMessageContaining("attribute '");
                return;
            }
            assertThat(item).isNotNull();
            AttributeValue version = attributes.get(Attributes.VERSION);
            assertThat(item.version()).isEqualTo(version == null ? null : version.s());
            assertThat(item.expiry()).as("end of %s", attributes).isEqualTo(end(attributes));
            assertThat(item.toString()).isNotEmpty();
            Table table = new Table(item);
            LeaseManager leases = table.manager();
            Optional<LeaseInfo> shown = leases.find(KEY);
            assertThat(shown.map(LeaseInfo::held).orElse(false)).isEqualTo(item.version() != null);
            assertThat(shown.toString()).isNotEmpty();
            table.assertGrantedNotBefore(freeAfter(item), leases);
        }

        /** Returns the end that the documented attributes give, in epoch seconds; {@code null}: none that is usable. */
        private static @Nullable Long end(Map<String, AttributeValue> attributes) {
            BigDecimal token = number(attributes, Attributes.TOKEN);
            BigDecimal ends = number(attributes, Attributes.ENDS);
            BigDecimal endsToken = number(attributes, Attributes.ENDS_TOKEN);
            boolean current = attributes.containsKey(Attributes.VERSION)
                    && token != null
                    && endsToken != null
                    && ends != null
                    && token.compareTo(endsToken) == 0;
            BigDecimal millis = current ? ends : null;
            BigDecimal end = millis == null
                    ? number(attributes, Attributes.EXPIRY)
                    : millis.movePointLeft(3).setScale(0, RoundingMode.CEILING);
            return end == null || end.abs().compareTo(LAST_SECOND) > 0 ? null : Long.valueOf(end.longValueExact());
        }

        /** Returns a whole number of 64 bits; {@code null}: none. */
        private static @Nullable BigDecimal number(Map<String, AttributeValue> attributes, String name) {
            AttributeValue value = attributes.get(name);
            try {
                return value == null || value.n() == null
                        ? null
                        : BigDecimal.valueOf(new BigDecimal(value.n()).longValueExact());
            } catch (ArithmeticException | NumberFormatException e) {
                return null;
            }
        }

        /** Protocol 4.2 and 4.3: returns after which time the item may be taken at the earliest. */
        private static Duration freeAfter(LeaseItem item) {
            if (item.version() == null) {
                return Duration.ZERO;
            }
            Long expiry = item.expiry();
            Long ttl = item.durationMillis();
            boolean usable = ttl != null && expiry != null && ttl >= 0 && ttl <= Long.MAX_VALUE / 3_000_000;
            Duration observed = usable ? Duration.ofMillis(ttl) : OBSERVATION_TIME;
            Duration expired = expiry == null ? observed : Duration.ofSeconds(Math.max(0, expiry - START));
            return expired.compareTo(observed) < 0 ? expired : observed;
        }

        /** A table with one item, which evaluates the conditions of writes. */
        private static final class Table implements LeaseStore {
            private final VirtualTime time = new VirtualTime();
            private @Nullable LeaseItem item;

            private Table(LeaseItem item) {
                this.item = item;
            }

            private LeaseManager manager() {
                SplittableRandom random = new SplittableRandom(1);
                return new EngineBuilder(this)
                        .owner("here")
                        .callbackExecutor(Runnable::run)
                        .sender(Runnable::run)
                        .losses(Runnable::run)
                        .time(time)
                        .random(random)
                        .build();
            }

            @Override
            public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
                Instant date = Instant.ofEpochSecond(time.now().getEpochSecond());
                LeaseItem shown = request.keys().contains(KEY) ? item : null;
                if (!(request instanceof StoreRequest.Write write)) {
                    return CompletableFuture.completedStage(new StoreReply.Found(shown, date));
                }
                CommandEffect effect = CommandEffect.of(write.command(), shown, date);
                if (effect.isApplied()) {
                    item = effect.after();
                }
                return CompletableFuture.completedStage(effect.reply());
            }

            @Override
            public StoreInfo info() {
                return new StoreInfo("'leases'");
            }

            /** A token of another writer may be larger than the time, and items may have a run: neither is asked for here. */
            private void assertGrantedNotBefore(Duration earliest, LeaseManager leases) {
                CompletableFuture<Optional<Lease>> acquiring =
                        leases.acquireAsync(LeaseRequest.of(KEY).waitFor(Duration.ofHours(1)));
                Duration before = earliest.minusSeconds(1);
                if (before.compareTo(OBSERVATION_TIME) < 0 && !before.isNegative()) {
                    time.advance(before);
                    assertThat(acquiring).as("before the end of %s", item).isNotDone();
                    time.advance(Duration.ofSeconds(20));
                    assertThat(acquiring)
                            .as("some time after the end of %s", item)
                            .isDone();
                }
                acquiring.cancel(true);
            }
        }
    }
}
