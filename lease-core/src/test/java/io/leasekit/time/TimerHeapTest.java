package io.leasekit.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerHeapTest {

    private final TimerHeap heap = new TimerHeap();

    private final Map<TimerHeap.Entry, Integer> names = new IdentityHashMap<>();

    private TimerHeap.Entry named(long due, int name) {
        TimerHeap.Entry timer = new TimerHeap.Entry(due, () -> {}, cancelled -> {});
        names.put(timer, name);
        return timer;
    }

    private List<Integer> drain() {
        List<Integer> drained = new ArrayList<>();
        for (TimerHeap.Entry first = heap.first(); first != null; first = heap.first()) {
            heap.remove(first);
            drained.add(names.get(first));
        }
        return drained;
    }

    @Test
    void timersOfOneTimeKeepTheOrderInWhichTheyWereAdded() {
        for (int i = 0; i < 100; i++) {
            heap.add(named(7, i));
        }
        assertThat(drain()).isSorted().hasSize(100);
    }

    @Test
    void timesAroundTheWrapOfTheClockAreInOrder() {
        heap.add(named(Long.MIN_VALUE + 1, 2));
        heap.add(named(Long.MAX_VALUE - 1, 0));
        heap.add(named(Long.MIN_VALUE, 1));
        assertThat(drain()).containsExactly(0, 1, 2);
    }

    @Test
    void timerThatIsNotThereCannotBeRemoved() {
        TimerHeap.Entry timer = named(1, 1);
        heap.remove(timer);
        heap.add(timer);
        heap.remove(timer);
        heap.remove(timer);
        assertThat(heap.size()).isZero();
        assertThat(heap.first()).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyTimerCanBeRemovedAndTheOthersStayInOrder(long seed) {
        Random random = new Random(seed);
        List<TimerHeap.Entry> model = new ArrayList<>(); // in the order of adding
        for (int i = 0; i < 5_000; i++) {
            boolean grows = (i / 1_000) % 2 == 0;
            if (model.isEmpty() || random.nextInt(10) < (grows ? 7 : 3)) {
                TimerHeap.Entry added = named(random.nextInt(50), i);
                heap.add(added);
                model.add(added);
            } else {
                TimerHeap.Entry removed = model.remove(random.nextInt(model.size()));
                heap.remove(removed);
            }
            assertThat(heap.size()).isEqualTo(model.size());
        }
        List<Integer> expected = model.stream()
                .sorted(Comparator.comparingLong(TimerHeap.Entry::due))
                .map(timer -> names.get(timer))
                .toList();
        assertThat(drain()).isEqualTo(expected);
    }
}
