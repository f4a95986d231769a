package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.CommandEffect;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.store.VersionRange;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract finds wrong stores, and its messages name the request and what was wrong with the reply. */
@Tag("full")
class WrongStoresTest {

    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

    /** A way to be wrong. */
    private interface Wrong {
        CompletionStage<StoreReply> send(StoreRequest request, InMemoryLeaseStore right);
    }

    static Stream<Arguments> wrongStores() {
        return Stream.of(
                wrong(
                        "ofAcquiresAtTheSameTimeOneIsApplied",
                        "Replies to 8 acquires of an absent item, sent at the same time",
                        WrongStoresTest::readThenWrite),
                wrong(
                        "acquireIsRefusedWhenTheExpiryIsTheBound",
                        "Reply to AcquireCommand[",
                        (request, right) -> right.send(expiryAtTheBoundIsOver(request), Duration.ZERO)),
                wrong(
                        "renewIsRefusedByVersionsOutsideItsRange",
                        "Reply to RenewCommand[",
                        (request, right) -> right.send(anyVersionOfTheTenure(request), Duration.ZERO)),
                wrong(
                        "nothingIsWrittenWhenOneItemRefusesAndTheRefusalShowsIt",
                        "Reply to a transaction with a command whose condition does not hold",
                        WrongStoresTest::oneByOne),
                wrong(
                        "eachIsAppliedOrRefusedByItselfInItsOrder",
                        "LeaseItem[key='contract-",
                        (request, right) -> right.send(request, Duration.ZERO).thenApply(WrongStoresTest::reversed)),
                wrong(
                        "acquireIsRefusedByAFreeItemWithTheSameToken",
                        "Item that the refusal of AcquireCommand[",
                        (request, right) -> right.send(request, Duration.ZERO).thenApply(WrongStoresTest::withoutItem)),
                wrong(
                        "everyReplyTellsTheStoresTimeCutToTheSecond",
                        "Date of the reply to Write[",
                        (request, right) -> right.send(request, Duration.ZERO).thenApply(WrongStoresTest::withoutDate)),
                wrong(
                        "readFindsNothing",
                        "Stage of Read[key=contract-",
                        (request, right) -> CompletableFuture.failedFuture(new IllegalStateException("no connection"))),
                wrong("readFindsNothing", "Store threw at Read[key=contract-", (request, right) -> {
                    throw new IllegalStateException("no connection");
                }),
                wrong(
                        "readFindsNothing",
                        "Read[key=contract-",
                        (request, right) -> CompletableFuture.completedFuture(new StoreReply.Failed(
                                StoreReply.FailureKind.REJECTED, new IllegalStateException("no table"), NOW, false))));
    }

    private static Arguments wrong(String test, String message, Wrong way) {
        return arguments(test, message, way);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("wrongStores")
    void theContractFinds(String test, String message, Wrong way) {
        assertThat(failures(way)).containsKey(test);
        assertThat(failures(way).get(test)).contains(message);
    }

    @Test
    void aRightStoreHasNoFailures() {
        assertThat(failures((request, right) -> right.send(request, Duration.ZERO)))
                .isEmpty();
    }

    // ---- the ways

    private static CompletionStage<StoreReply> readThenWrite(StoreRequest request, InMemoryLeaseStore right) {
        if (!(request instanceof StoreRequest.Write write)) {
            return right.send(request, Duration.ZERO);
        }
        LeaseCommand command = write.command();
        LeaseItem before = right.item(command.key()).orElse(null);
        for (int i = 0; i < 1_000; i++) {
            Thread.yield(); // so that others read, too
        }
        CommandEffect effect = CommandEffect.of(command, before, NOW);
        if (effect.after() == null) {
            right.remove(command.key());
        } else {
            right.put(effect.after());
        }
        return CompletableFuture.completedFuture(effect.reply());
    }

    private static StoreRequest expiryAtTheBoundIsOver(StoreRequest request) {
        return request instanceof StoreRequest.Write write
                        && write.command() instanceof AcquireCommand acquire
                        && acquire.freeBelow() != null
                ? new StoreRequest.Write(new AcquireCommand(
                        acquire.key(),
                        acquire.version(),
                        acquire.expiry(),
                        acquire.durationMillis(),
                        acquire.token(),
                        acquire.owner(),
                        acquire.acquiredAtMillis(),
                        acquire.freeBelow() + 1,
                        acquire.deadVersion(),
                        acquire.own(),
                        acquire.predecessor(),
                        acquire.once(),
                        acquire.permits(),
                        acquire.application(),
                        acquire.keptUntil()))
                : request;
    }

    private static StoreRequest anyVersionOfTheTenure(StoreRequest request) {
        if (!(request instanceof StoreRequest.Write write) || !(write.command() instanceof RenewCommand renew)) {
            return request;
        }
        String tenure = renew.own().first().substring(0, 36);
        return new StoreRequest.Write(new RenewCommand(
                renew.key(),
                renew.version(),
                renew.expiry(),
                renew.durationMillis(),
                new VersionRange(tenure, tenure + "~"),
                renew.keptUntil(),
                renew.progress()));
    }

    private static CompletionStage<StoreReply> oneByOne(StoreRequest request, InMemoryLeaseStore right) {
        if (!(request instanceof StoreRequest.Transaction transaction)) {
            return right.send(request, Duration.ZERO);
        }
        StoreReply last = null;
        for (LeaseCommand command : transaction.commands()) {
            last = right.send(new StoreRequest.Write(command), Duration.ZERO)
                    .toCompletableFuture()
                    .join();
        }
        return CompletableFuture.completedFuture(last);
    }

    private static StoreReply reversed(StoreReply reply) {
        if (!(reply instanceof StoreReply.Each each)) {
            return reply;
        }
        List<StoreReply> replies = new ArrayList<>(each.replies());
        Collections.reverse(replies);
        return new StoreReply.Each(replies);
    }

    private static StoreReply withoutItem(StoreReply reply) {
        return reply instanceof StoreReply.Refused ? new StoreReply.Refused(null, reply.date(), false) : reply;
    }

    private static StoreReply withoutDate(StoreReply reply) {
        return reply instanceof StoreReply.Applied ? new StoreReply.Applied(null, null, false) : reply;
    }

    // ---- running the contract

    /** Returns the messages of the tests that fail, by their names. */
    private static Map<String, String> failures(Wrong way) {
        Map<String, String> failures = new TreeMap<>();
        Stream.of(LeaseStoreContract.class, LeaseStoreContract.Transactions.class, LeaseStoreContract.Batches.class)
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(Test.class))
                .forEach(method -> {
                    String message = failure(method, way);
                    if (message != null) {
                        failures.put(method.getName(), message);
                    }
                });
        return failures;
    }

    private static @Nullable String failure(Method test, Wrong way) {
        Contract contract = new Contract(way);
        try {
            contract.begin();
            Object target = contract;
            if (test.getDeclaringClass() != LeaseStoreContract.class) {
                Constructor<?> nested = test.getDeclaringClass().getDeclaredConstructor(LeaseStoreContract.class);
                target = nested.newInstance(contract);
            }
            test.invoke(target);
            return null;
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The contract of one wrong store. */
    private static final class Contract extends LeaseStoreContract {

        private final InMemoryLeaseStore right = new InMemoryLeaseStore(Clock.fixed(NOW, ZoneOffset.UTC));
        private final Wrong way;

        Contract(Wrong way) {
            this.way = way;
        }

        @Override
        protected LeaseStore store() {
            return new LeaseStore() {
                @Override
                public CompletionStage<StoreReply> send(StoreRequest request, Duration timeout) {
                    return way.send(request, right);
                }

                @Override
                public StoreInfo info() {
                    return right.info();
                }
            };
        }

        @Override
        protected void put(LeaseItem item) {
            right.put(item);
        }

        @Override
        protected @Nullable LeaseItem stored(String key) {
            return right.item(key).orElse(null);
        }

        @Override
        protected Instant now() {
            return NOW;
        }
    }
}
