package io.leasekit.engine;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.CommandGroup;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseScan;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.ReleaseBatch;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewBatch;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * The store of one process. A test scripts the fate of each request as a {@code Consumer<Request>}. Requests are kept,
 * so a test can apply a copy or give a reply at any time.
 */
final class ScriptedStore implements LeaseStore {

    enum Verb {
        ACQUIRE,
        RENEW,
        RELEASE,
        MARK,
        REVOKE,
        PAUSE,
        READ,
        READ_EACH,
        LIST;

        private static Verb of(LeaseCommand command) {
            if (command instanceof AcquireCommand) {
                return ACQUIRE;
            }
            if (command instanceof RenewCommand) {
                return RENEW;
            }
            if (command instanceof RevokeCommand) {
                return REVOKE;
            }
            if (command instanceof PauseCommand) {
                return PAUSE;
            }
            return command instanceof ReleaseCommand ? RELEASE : MARK;
        }
    }

    /** Never reaches the table and is never answered. */
    static final Consumer<Request> LOST = request -> {};

    /** Applied; the reply is lost. */
    static final Consumer<Request> REPLY_LOST = Request::apply;

    /** Applied, with the reply lost. The SDK sends the same bytes again and returns the second reply. */
    static final Consumer<Request> RESENT = request -> {
        request.apply();
        request.resent = true;
        request.deliver();
    };

    private final LeaseStore table;
    private final Map<Verb, Deque<Consumer<Request>>> next = new EnumMap<>(Verb.class);
    private final List<Request> sent = Collections.synchronizedList(new ArrayList<>()); // by two senders at a time
    private Function<Request, Consumer<Request>> otherwise = request -> Request::deliver;
    private UnaryOperator<@Nullable Instant> dates = date -> date;

    ScriptedStore(LeaseStore table) {
        this.table = table;
    }

    /** A request that was sent. */
    final class Request {
        final Verb verb;
        final Object command;
        final Duration timeout;
        private final Supplier<List<CompletionStage<StoreReply>>> evaluation;
        private final List<CompletableFuture<StoreReply>> replies;
        private boolean resent;

        /** Returns the reply, or null if there is none yet. */
        StoreReply reply() {
            return replies.get(0).getNow(null);
        }

        private Request(
                Verb verb, Object command, Duration timeout, Supplier<List<CompletionStage<StoreReply>>> evaluation) {
            this.verb = verb;
            this.command = command;
            this.timeout = timeout;
            this.evaluation = evaluation;
            this.replies = Stream.generate(CompletableFuture<StoreReply>::new)
                    .limit(isBatch() ? keys().size() : 1)
                    .toList();
        }

        /** Whether this is one request with several writes, each with a reply of its own. */
        boolean isBatch() {
            return command instanceof RenewBatch || command instanceof ReleaseBatch;
        }

        /** Returns the keys that this request names. */
        List<String> keys() {
            if (command instanceof CommandGroup group) {
                return group.keys();
            }
            if (command instanceof RenewBatch batch) {
                return batch.commands().stream().map(RenewCommand::key).toList();
            }
            if (command instanceof ReleaseBatch batch) {
                return batch.commands().stream().map(ReleaseCommand::key).toList();
            }
            if (command instanceof List<?> keys) {
                return keys.stream().map(String::valueOf).toList();
            }
            return List.of(command instanceof LeaseCommand one ? one.key() : String.valueOf(command));
        }

        /** Evaluates a copy at the table; returns the outcome of the first write of a batch. */
        StoreReply apply() {
            return applyEach().get(0);
        }

        /** Evaluates a copy at the table; returns the outcome of each write of a batch. */
        List<StoreReply> applyEach() {
            return evaluation.get().stream()
                    .map(stage -> stage.toCompletableFuture().join())
                    .toList();
        }

        /** Evaluates the request at the table and answers it. */
        void deliver() {
            answerEach(applyEach());
        }

        /** Gives all writes of a batch the same answer. */
        void answer(StoreReply outcome) {
            answerEach(Collections.nCopies(replies.size(), outcome));
        }

        /** Answers the writes of a batch, in their order. */
        void answerEach(List<StoreReply> outcomes) {
            for (int i = 0; i < replies.size(); i++) {
                StoreReply outcome = outcomes.get(i);
                replies.get(i).complete(Dated.reply(outcome, dates.apply(outcome.date()), resent));
            }
        }

        void fail(StoreReply.FailureKind kind, String why) {
            answer(new StoreReply.Failed(kind, new IllegalStateException(why), null, false));
        }
    }

    /** Not applied, as after throttling, a transaction conflict or a refused connection. */
    static Consumer<Request> refused(String why) {
        return request -> request.fail(StoreReply.FailureKind.NOT_APPLIED, why);
    }

    /** Not applied, and answered with an error that leaves this open. */
    static Consumer<Request> broken(String why) {
        return request -> request.fail(StoreReply.FailureKind.UNKNOWN, why);
    }

    /** Sets the fates of the next requests of this verb, in this order. */
    @SafeVarargs
    @SuppressWarnings("varargs")
    final void next(Verb verb, Consumer<Request>... fates) {
        next.computeIfAbsent(verb, v -> new ArrayDeque<>()).addAll(List.of(fates));
    }

    /** Sets the fate of all requests from now on. */
    void always(Consumer<Request> fate) {
        otherwise = request -> fate;
    }

    /** Sets the fate of all requests of this verb from now on. The others are delivered. */
    void always(Verb verb, Consumer<Request> fate) {
        otherwise = request -> request.verb == verb ? fate : Request::deliver;
    }

    /** Sets the fate of all requests that name this key from now on. The others are delivered. */
    void always(String key, Consumer<Request> fate) {
        otherwise = request -> request.keys().contains(key) ? fate : Request::deliver;
    }

    /** Delivers all requests from now on. */
    void heal() {
        next.clear();
        always(Request::deliver);
    }

    /** Changes the dates of replies from now on. A change to null removes the date. */
    void dates(UnaryOperator<@Nullable Instant> change) {
        dates = change;
    }

    /** Returns the verbs of the requests that were sent since the last call. */
    List<Verb> verbs() {
        List<Verb> verbs = sent.stream().map(request -> request.verb).toList();
        sent.clear();
        return verbs;
    }

    List<Request> sent(Verb verb) {
        return sent.stream().filter(request -> request.verb == verb).toList();
    }

    Request last(Verb verb) {
        List<Request> requests = sent(verb);
        return requests.get(requests.size() - 1);
    }

    private CompletionStage<StoreReply> send(
            Verb verb, Object command, Duration timeout, Supplier<CompletionStage<StoreReply>> evaluation) {
        return sendEach(verb, command, timeout, () -> List.of(evaluation.get())).get(0);
    }

    private List<CompletionStage<StoreReply>> sendEach(
            Verb verb, Object command, Duration timeout, Supplier<List<CompletionStage<StoreReply>>> evaluation) {
        Request request = new Request(verb, command, timeout, evaluation);
        sent.add(request);
        Deque<Consumer<Request>> scripted = next.getOrDefault(verb, new ArrayDeque<>());
        (scripted.isEmpty() ? otherwise.apply(request) : scripted.remove()).accept(request);
        return List.copyOf(request.replies);
    }

    /** Sends one request, whose command is the batch. */
    @Override
    public List<CompletionStage<StoreReply>> renewEach(RenewBatch batch, Duration timeout) {
        return sendEach(Verb.RENEW, batch, timeout, () -> table.renewEach(batch, timeout));
    }

    /** Sends one request, whose command is the batch. */
    @Override
    public List<CompletionStage<StoreReply>> releaseEach(ReleaseBatch batch, Duration timeout) {
        return sendEach(Verb.RELEASE, batch, timeout, () -> table.releaseEach(batch, timeout));
    }

    @Override
    public CompletionStage<StoreReply> write(LeaseCommand command, Duration timeout) {
        return send(Verb.of(command), command, timeout, () -> table.write(command, timeout));
    }

    /** Sends one request with the verb of the first command. */
    @Override
    public CompletionStage<StoreReply> writeAll(CommandGroup group, Duration timeout) {
        return send(Verb.of(group.commands().get(0)), group, timeout, () -> table.writeAll(group, timeout));
    }

    @Override
    public CompletionStage<StoreReply> read(String key, Duration timeout) {
        return send(Verb.READ, key, timeout, () -> table.read(key, timeout));
    }

    /** Sends one request, whose command is the list of keys. */
    @Override
    public CompletionStage<StoreReply> readEach(List<String> keys, Duration timeout) {
        return send(Verb.READ_EACH, keys, timeout, () -> table.readEach(keys, timeout));
    }

    @Override
    public CompletionStage<StoreReply> list(LeaseScan scan, Duration timeout) {
        return send(Verb.LIST, scan, timeout, () -> table.list(scan, timeout));
    }

    @Override
    public ConditionCheck conditionCheck(String key, long token, String tenure) {
        return ConditionCheck.builder()
                .tableName("leases")
                .conditionExpression(token + " " + tenure)
                .build();
    }

    @Override
    public String name() {
        return "'scripted'";
    }
}
