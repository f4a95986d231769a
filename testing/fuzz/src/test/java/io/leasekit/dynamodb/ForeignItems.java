package io.leasekit.dynamodb;

import io.leasekit.fuzz.Draws;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.RecordTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items as other writers may leave them: attributes that are missing, of another type, or beyond all reason. */
final class ForeignItems {

    private static final List<String> NUMBERS = with(
            List.of(
                    Attributes.EXPIRY,
                    Attributes.ENDS,
                    Attributes.ENDS_TOKEN,
                    Attributes.DURATION,
                    Attributes.TOKEN,
                    Attributes.ACQUIRED_AT,
                    Attributes.RELEASED_AT,
                    Attributes.WAITING_SINCE),
            RecordTable.NUMBERS);

    private static final List<String> TEXTS =
            with(List.of(Attributes.VERSION, Attributes.OWNER), RecordTable.TEXTS.keySet());

    private static final List<String> VERSIONS = List.of(
            "00000000-0000-4000-8000-000000000001-7", "00000000-0000-4000-8000-000000000001", "v", "", "-", "-1");

    private ForeignItems() {}

    /** In the order of the names, so that a seed draws the same items each time. */
    private static List<String> with(List<String> attributes, Set<String> records) {
        return Stream.concat(attributes.stream(), records.stream().sorted()).toList();
    }

    /** Returns the attributes of an item with this key; a key is always a text. */
    static Map<String, AttributeValue> draw(String key, Draws draws) {
        Map<String, AttributeValue> attributes = new HashMap<>();
        attributes.put(Attributes.KEY, AttributeValue.fromS(key));
        if (!draws.oneOf(8)) {
            attributes.put(Attributes.VERSION, AttributeValue.fromS(draws.of(VERSIONS)));
            attributes.put(Attributes.DURATION, Attributes.number(draws.below(30) * 1_000L));
            attributes.put(Attributes.EXPIRY, Attributes.number(1_800_000_000L + draws.below(60) - 20));
            attributes.put(Attributes.TOKEN, Attributes.number(1_800_000_000_000L + draws.below(256) - 200));
        }
        for (int changes = draws.below(8); changes > 0; changes--) {
            change(attributes, draws);
        }
        return attributes;
    }

    private static void change(Map<String, AttributeValue> attributes, Draws draws) {
        boolean number = draws.oneOf(2);
        String name = number ? draws.of(NUMBERS) : draws.oneOf(6) ? ItemProgress.DATA : draws.of(TEXTS);
        switch (draws.below(4)) {
            case 0 -> attributes.remove(name);
            case 1 -> attributes.put(name, any(draws, 2));
            default -> attributes.put(name, usual(name, number, draws));
        }
    }

    private static AttributeValue usual(String name, boolean number, Draws draws) {
        if (number) {
            return Attributes.number(draws.number());
        }
        return name.equals(ItemProgress.DATA)
                ? AttributeValue.fromB(SdkBytes.fromByteArray(draws.bytes()))
                : AttributeValue.fromS(draws.text());
    }

    /** Returns a value of any type, also one that the SDK does not know or that DynamoDB would not store. */
    static AttributeValue any(Draws draws, int depth) {
        return switch (draws.below(depth == 0 ? 7 : 10)) {
            case 0 -> AttributeValue.fromS(draws.text());
            case 1 -> AttributeValue.fromN(number(draws));
            case 2 -> AttributeValue.fromB(SdkBytes.fromByteArray(draws.bytes()));
            case 3 -> AttributeValue.fromBool(draws.oneOf(2));
            case 4 -> AttributeValue.fromNul(true);
            case 5 -> AttributeValue.builder().build();
            case 6 -> AttributeValue.fromNs(List.of(number(draws)));
            case 7 -> AttributeValue.fromSs(List.of(draws.text()));
            case 8 -> AttributeValue.fromL(list(draws, depth - 1));
            default -> AttributeValue.fromM(Map.of(draws.text(), any(draws, depth - 1)));
        };
    }

    private static List<AttributeValue> list(Draws draws, int depth) {
        List<AttributeValue> list = new ArrayList<>();
        for (int left = draws.below(3); left > 0; left--) {
            list.add(any(draws, depth));
        }
        return list;
    }

    private static String number(Draws draws) {
        return switch (draws.below(4)) {
            case 0 ->
                draws.of("1E125", "-1E125", "1E-130", "0.5", "1.8E9", "1800000000.0", "-0", "NaN", "", " 7", "0x7");
            case 1 -> draws.number() + draws.of("", ".0", ".5", "0", "E1", "000000000000000000");
            default -> Long.toString(draws.number());
        };
    }
}
