package io.leasekit.engine;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.LeaseStore;
import io.leasekit.store.PauseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.ReopenCommand;
import io.leasekit.store.RevokeCommand;
import io.leasekit.store.StoreInfo;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
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
import java.util.function.UnaryOperator;
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
        REOPEN,
        READ,
        READ_EACH,
        LIST;

        private static Verb of(StoreRequest request) {
            if (request instanceof StoreRequest.Write write) {
                return of(write.command());
            }
            if (request instanceof StoreRequest.Transaction transaction) {
                return of(transaction.commands().get(0));
            }
            if (request instanceof StoreRequest.Batch batch) {
                return of(batch.commands().get(0));
            }
            if (request instanceof StoreRequest.Scan) {
                return LIST;
            }
            return request instanceof StoreRequest.Read ? READ : READ_EACH;
        }

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
            if (command instanceof ReopenCommand) {
                return REOPEN;
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
        private final StoreRequest request;
        private final CompletableFuture<StoreReply> answer = new CompletableFuture<>();
        private boolean resent;

        /** Returns the reply, of a batch that to its first write, or null if there is none yet. */
        StoreReply reply() {
            StoreReply reply = answer.getNow(null);
            return reply instanceof StoreReply.Each each ? each.replies().get(0) : reply;
        }

        private Request(StoreRequest request, Duration timeout) {
            this.verb = Verb.of(request);
            this.command = request instanceof StoreRequest.Write write ? write.command() : request;
            this.timeout = timeout;
            this.request = request;
        }

        /** Whether this is one request with several writes, each with a reply of its own. */
        boolean isBatch() {
            return request instanceof StoreRequest.Batch;
        }

        /** Returns the keys that this request names. */
        List<String> keys() {
            return request.keys();
        }

        /** Evaluates a copy at the table; returns the outcome of the first write of a batch. */
        StoreReply apply() {
            return applyEach().get(0);
        }

        /** Evaluates a copy at the table; returns the outcome of each write of a batch. */
        List<StoreReply> applyEach() {
            StoreReply reply =
                    table.send(request, timeout).toCompletableFuture().join();
            return reply instanceof StoreReply.Each each ? each.replies() : List.of(reply);
        }

        /** Evaluates the request at the table and answers it. */
        void deliver() {
            answerEach(applyEach());
        }

        /** Gives all writes of a batch the same answer. */
        void answer(StoreReply outcome) {
            answerEach(Collections.nCopies(isBatch() ? keys().size() : 1, outcome));
        }

        /** Answers the writes of a batch, in their order. */
        void answerEach(List<StoreReply> outcomes) {
            List<StoreReply> dated = outcomes.stream()
                    .map(outcome -> Dated.reply(outcome, dates.apply(outcome.date()), resent))
                    .toList();
            answer.complete(isBatch() ? new StoreReply.Each(dated) : dated.get(0));
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

    /** A transaction or a batch has the verb of its first command. */
    @Override
    public CompletionStage<StoreReply> send(StoreRequest sending, Duration timeout) {
        Request request = new Request(sending, timeout);
        sent.add(request);
        Deque<Consumer<Request>> scripted = next.getOrDefault(request.verb, new ArrayDeque<>());
        (scripted.isEmpty() ? otherwise.apply(request) : scripted.remove()).accept(request);
        return request.answer;
    }

    @Override
    public StoreInfo info() {
        return new StoreInfo("'scripted'")
                .withConditionChecks((key, token, tenure) -> ConditionCheck.builder()
                        .tableName("leases")
                        .conditionExpression(token + " " + tenure)
                        .build());
    }
}
