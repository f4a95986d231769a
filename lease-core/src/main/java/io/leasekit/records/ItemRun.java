package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Edits;
import io.leasekit.store.Records;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last run that an item records. Only the {@link #name} affects acquires; the other components are for display.
 *
 * @param name the name of the last run that is done; {@code null} if no recorded run had a name
 */
@Internal
public record ItemRun(
        @Nullable String name,
        @Nullable String owner,
        @Nullable Instant begunAt,
        @Nullable String outcome,
        @Nullable Duration duration) {

    public static final String NAME = "last_run";

    static final String OWNER = "last_run_owner";
    static final String BEGUN_AT = "last_run_at";
    static final String OUTCOME = "last_run_outcome";
    static final String DURATION = "last_run_duration";

    private static final ItemRun NOTHING = new ItemRun(null, null, null, null, null);

    public static @Nullable ItemRun of(Records records) {
        Long took = records.number(DURATION);
        ItemRun run = new ItemRun(
                records.text(NAME),
                records.text(OWNER),
                RecordTable.instant(records.number(BEGUN_AT)),
                records.text(OUTCOME),
                took == null ? null : Duration.ofMillis(took));
        return run.equals(NOTHING) ? null : run;
    }

    /** Returns whether the run with this name is done, according to the last run in the records. */
    public static boolean isDone(Records records, String run) {
        return covers(records.text(NAME), run);
    }

    /**
     * Returns whether the run {@code run} is done. {@code last}: the name of the last recorded run in the item;
     * {@code null} if the item records no name. A run is done if its name is not larger than {@code last}, in
     * DynamoDB's order of strings.
     */
    public static boolean covers(@Nullable String last, String run) {
        return last != null && Text.compareAsDynamoDb(last, run) >= 0;
    }

    /**
     * Returns a text that DynamoDB sorts between {@code run} and every smaller name of a run. If the item records the
     * returned text as the last run, the run named {@code run} no longer counts as done, but all earlier runs still do.
     */
    public static String before(String run) {
        int last = run.codePointBefore(run.length());
        String begin = run.substring(0, run.length() - Character.charCount(last));
        int below = last - 1 == Character.MAX_SURROGATE ? Character.MIN_SURROGATE - 1 : last - 1;
        return below < 0 ? begin : begin + Character.toString(below) + Character.toString(Character.MAX_CODE_POINT);
    }

    /**
     * Returns the edits that write this run to the records of an item. A run without a name leaves the name of the
     * previous run in the item.
     */
    public Edits edits() {
        return Edits.builder()
                .set(NAME, name)
                .set(OWNER, owner)
                .set(BEGUN_AT, begunAt == null ? null : begunAt.toEpochMilli())
                .set(OUTCOME, outcome)
                .set(DURATION, duration == null ? null : duration.toMillis())
                .build();
    }

    @Override
    public String toString() {
        return Text.record(
                "ItemRun", "name, owner, begunAt, outcome, duration", name, owner, begunAt, outcome, duration);
    }
}
