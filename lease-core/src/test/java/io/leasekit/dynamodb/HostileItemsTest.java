package io.leasekit.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.leasekit.LeaseStoreException;
import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items whose texts are longer than any that Leasekit writes: another writer of the table has changed them. */
class HostileItemsTest {

    private static final String LONG = "z".repeat(390_000);

    private final Logger logger = (Logger) LoggerFactory.getLogger(ItemLimits.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
    }

    private static LeaseItem read(String key, Map<String, AttributeValue> changed) {
        Map<String, AttributeValue> attributes = new HashMap<>(Map.of(
                Attributes.KEY,
                Attributes.text(key),
                Attributes.VERSION,
                Attributes.text("v"),
                Attributes.TOKEN,
                Attributes.number(7),
                AcquireText.APPLICATION.itsToken(),
                Attributes.number(7),
                ItemProgress.DATA,
                AttributeValue.fromB(SdkBytes.fromUtf8String("10"))));
        attributes.putAll(changed);
        LeaseItem item = ItemMapping.item(key, attributes);
        assertThat(item).isNotNull();
        return item;
    }

    @ParameterizedTest
    @ValueSource(strings = {"owner", "app", "last_run_owner", "last_run_outcome", "run_history", "lease_pauses"})
    void aTextForPeopleIsIgnoredWithOneWarningForItsKey(String attribute) {
        String key = "long-" + attribute;

        LeaseItem item = read(key, Map.of(attribute, Attributes.text(LONG)));
        read(key, Map.of(attribute, Attributes.text(LONG)));

        assertThat(item.toString()).hasSizeLessThan(1_000);
        assertThat(item.owner()).isNull();
        assertThat(item.records().values()).doesNotContainKey(attribute);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Item '" + key + "' was changed by another writer: attribute '" + attribute
                        + "' is longer than Leasekit writes it, so it is ignored or cut");
    }

    @Test
    void textsAtTheirLimitsAreRead() {
        LeaseItem item = read(
                "limits",
                Map.of(
                        "owner", Attributes.text("x".repeat(1_024)),
                        "run_history", Attributes.text("x".repeat(32 * 1024)),
                        "last_run", Attributes.text("x".repeat(1_024)),
                        "lease_version", Attributes.text("x".repeat(256))));

        assertThat(item.owner()).hasSize(1_024);
        assertThat(item.records().text(RecordTable.HISTORY)).hasSize(32 * 1024);
        assertThat(item.records().text(ItemRun.NAME)).isEqualTo("x".repeat(1_024));
        assertThat(item.version()).hasSize(256);
        assertThat(log.list).isEmpty();
    }

    /** Ignored, it would look free. Cut, it would never be the version of a condition. */
    @Test
    void anItemWithALongVersionIsNoLease() {
        assertThatExceptionOfType(LeaseStoreException.class)
                .isThrownBy(() -> read("version", Map.of("lease_version", Attributes.text(LONG))))
                .withMessageContaining("attribute 'lease_version' is too long, expected at most 256 characters");
    }

    @Test
    void aLongNameOfARunCoversTheRunsThatItCovers() {
        String begin = "b".repeat(1_024);
        LeaseItem item = read("run", Map.of("last_run", Attributes.text(begin + LONG)));
        String run = item.records().text(ItemRun.NAME);
        assertThat(run).isNotNull();

        assertThat(run).hasSizeLessThan(1_100);
        assertThat(ItemRun.covers(run, begin)).isTrue();
        assertThat(ItemRun.covers(run, "b".repeat(1_023) + "a")).isTrue();
        assertThat(ItemRun.covers(run, "b".repeat(1_023) + "c")).isFalse();
        assertThat(ItemRun.covers(run, "c")).isFalse();
    }

    /** An operator has allowed the run with the longest name to be run again, which is no other writer. */
    @ParameterizedTest
    @ValueSource(strings = {"b", "\u00e4", "\u20ac", "\ud83d\ude00"})
    void theLongestNameThatIsToRunAgainIsReadAsItIs(String letter) {
        int bytes = letter.getBytes(StandardCharsets.UTF_8).length;
        String run = letter.repeat(1_024 / bytes) + "c".repeat(1_024 % bytes);
        String before = ItemRun.before(run);

        LeaseItem read = read("again", Map.of("last_run", Attributes.text(before)));

        assertThat(read.records().text(ItemRun.NAME)).isEqualTo(before);
        assertThat(log.list).isEmpty();
    }

    /** Ignored, the acquire would expect no records, and would be refused for ever. */
    @Test
    void longProgressBelongsToNoRunButIsKept() {
        LeaseItem data = read(
                "progress",
                Map.of(
                        ItemProgress.DATA,
                        AttributeValue.fromB(SdkBytes.fromByteArray(LONG.getBytes(StandardCharsets.UTF_8)))));
        LeaseItem run = read("progress-run", Map.of(ItemProgress.RUN, Attributes.text(LONG)));

        assertThat(List.of(data, run)).allSatisfy(item -> {
            assertThat(KeptRecords.isIn(item)).isTrue();
            ItemProgress progress = ItemProgress.of(item.records());
            assertThat(progress).isNotNull();
            assertThat(progress.run()).isBlank();
            assertThat(progress.data()).isEmpty();
        });
    }

    private static final List<String> NUMBERS = Stream.concat(
                    Stream.of(
                            Attributes.EXPIRY,
                            Attributes.ENDS,
                            Attributes.ENDS_TOKEN,
                            Attributes.DURATION,
                            Attributes.ACQUIRED_AT,
                            Attributes.RELEASED_AT,
                            Attributes.WAITING_SINCE),
                    RecordTable.NUMBERS.stream())
            .toList();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-1",
                "9223372036854775807",
                "-9223372036854775808",
                "9.9999999999999999999999999999999999999E+125",
                "-1E-130",
                "1E+2147483647",
                "0E-2147483647",
                "1.5"
            })
    void aNumberOfAnySizeIsReadOrIgnored(String number) {
        for (String attribute : NUMBERS) {
            LeaseItem item = read("number", Map.of(attribute, AttributeValue.fromN(number)));

            assertThat(item.toString()).as(attribute).hasSizeLessThan(1_000);
        }
    }

    static Stream<AttributeValue> valuesOfOtherTypes() {
        return Stream.of(
                AttributeValue.fromM(Map.of("a", AttributeValue.fromL(List.of(AttributeValue.fromBool(true))))),
                AttributeValue.fromL(List.of(AttributeValue.fromS(LONG))),
                AttributeValue.fromB(SdkBytes.fromByteArray(new byte[390_000])),
                AttributeValue.fromSs(List.of("a", "b")),
                AttributeValue.fromNul(true),
                AttributeValue.fromN("7"));
    }

    @ParameterizedTest
    @MethodSource("valuesOfOtherTypes")
    void aValueOfAnotherTypeIsIgnored(AttributeValue value) {
        for (String attribute : List.of("owner", "app", "last_run_owner", "last_run_outcome", "run_history", "run")) {
            assertThat(read("type", Map.of(attribute, value)).toString())
                    .as(attribute)
                    .hasSizeLessThan(1_000);
        }
        for (String attribute : NUMBERS) {
            if (value.n() == null) {
                assertThat(read("type", Map.of(attribute, value)).toString())
                        .as(attribute)
                        .hasSizeLessThan(1_000);
            }
        }
        assertThat(log.list).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("valuesOfOtherTypes")
    void theItemOfThePausesIsReadWhateverTheTypesOfItsAttributesAre(AttributeValue value) {
        for (String attribute :
                List.of("lease_pauses", "lease_version", "lease_expiry", "fencing_token", "last_run", "progress")) {
            LeaseItem item = read("#pauses", Map.of(attribute, value));

            assertThat(item.records().text(RecordTable.PAUSES)).as(attribute).isNull();
            assertThat(item.records().has(RecordTable.PAUSES))
                    .as("whether the next change of the pauses must replace " + attribute)
                    .isEqualTo(attribute.equals("lease_pauses"));
        }
        assertThat(read("other", Map.of("lease_pauses", value)).version()).isEqualTo("v");
    }

    /** Each of a thousand attributes that Leasekit does not know is dropped when the item is read. */
    @Test
    void unknownAttributesAreNotKept() {
        Map<String, AttributeValue> unknown = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            unknown.put("x" + i, Attributes.text("y".repeat(380)));
        }

        assertThat(read("unknown", unknown)).isEqualTo(read("unknown", Map.of()));
    }

    /** A run of a permit or of a run's own item is limited as any other. */
    @Test
    void itemsOfRunsAndPermitsAreLimitedToo() {
        for (String key : List.of("orders#run=17", "export#permit=3", "#pauses")) {
            LeaseItem item = read(key, Map.of("owner", Attributes.text(LONG), "run_history", Attributes.text(LONG)));

            assertThat(item.owner()).isNull();
            assertThat(item.records().has(RecordTable.HISTORY)).isFalse();
        }
    }

    @Test
    void aListAsksForWhatItShows() {
        var request = Scans.scan("leases", new StoreRequest.Scan("p", 10, null)).build();

        assertThat(request.projectionExpression().split(", "))
                .contains("#key", "#owner", "#progress")
                .doesNotContain("#run_history", "#lease_pauses")
                .allSatisfy(
                        name -> assertThat(request.expressionAttributeNames()).containsKey(name));
    }
}
