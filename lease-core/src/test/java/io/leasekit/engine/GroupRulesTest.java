package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Conclusions from a refusal that shows several items about the tenure that wrote them together (protocol 5.5, 6). */
class GroupRulesTest {

    private static final List<String> KEYS = List.of("a", "b", "c");

    private final FeatureRules rules = new FeatureRules();
    private final Tenure tenure = new Tenure(new UUID(1, 1));
    private final Tenure another = new Tenure(new UUID(2, 2));

    /** One item may be read before, another after a later write of this tenure. The later write was applied to all. */
    @Test
    void theNewestOfItsVersionsCounts() {
        assertThat(newest(tenure.version(3), tenure.version(4))).isEqualTo(4);
        assertThat(newest(tenure.version(4), tenure.version(3))).isEqualTo(4);
        assertThat(newest(tenure.version(2))).isEqualTo(2);
    }

    @Test
    void anythingElseOnOneItemSaysNothingOfTheOthers() {
        assertThat(newest(tenure.version(3), another.version(4))).isZero();
        assertThat(newest(tenure.version(3), null)).isZero();
        assertThat(newest(another.version(4), tenure.version(3))).isZero();
    }

    @Test
    void theItemThatShowsAnythingElseLosesAll() {
        assertThat(lostBy(tenure.version(3), tenure.version(4))).isNull();
        assertThat(lostBy(tenure.version(3), another.version(4))).isEqualTo("b");
        assertThat(lostBy(null, tenure.version(4))).isEqualTo("a");
    }

    private int newest(@Nullable String... versions) {
        return rules.newestShown(tenure, refusals(versions));
    }

    private @Nullable String lostBy(@Nullable String... versions) {
        StoreReply.Refusal refusal = rules.lostBy(tenure, refusals(versions));
        return refusal == null ? null : refusal.key();
    }

    private static List<StoreReply.Refusal> refusals(@Nullable String... versions) {
        StoreReply.Refusal[] refusals = new StoreReply.Refusal[versions.length];
        for (int i = 0; i < versions.length; i++) {
            String key = KEYS.get(i);
            LeaseItem item = new LeaseItem(key, versions[i], 1L, 1L, 1L, null, null, null);
            refusals[i] = new StoreReply.Refusal(key, item);
        }
        return List.of(refusals);
    }
}
