package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class SkippedResultTest {

    @Test
    void objectsAndVoidBecomeNull() {
        assertThat(SkippedResult.of(void.class).get()).isNull();
        assertThat(SkippedResult.of(String.class).get()).isNull();
        assertThat(SkippedResult.of(Object.class).get()).isNull();
    }

    @Test
    void optionalsBecomeEmpty() {
        assertThat(SkippedResult.of(Optional.class).get()).isEqualTo(Optional.empty());
        assertThat(SkippedResult.of(OptionalInt.class).get()).isEqualTo(OptionalInt.empty());
        assertThat(SkippedResult.of(OptionalLong.class).get()).isEqualTo(OptionalLong.empty());
        assertThat(SkippedResult.of(OptionalDouble.class).get()).isEqualTo(OptionalDouble.empty());
    }

    @Test
    void eachCallGetsAFutureOfItsOwn() {
        var skipped = SkippedResult.of(CompletionStage.class);

        assertThat((CompletableFuture<?>) skipped.get()).isCompletedWithValue(null);
        assertThat(skipped.get()).isNotSameAs(skipped.get());
    }

    @Test
    void aPrimitiveCannotBeSkipped() {
        assertThat(SkippedResult.isPossible(int.class)).isFalse();
        assertThat(SkippedResult.isPossible(void.class)).isTrue();
        assertThat(SkippedResult.isPossible(Integer.class)).isTrue();
    }
}
