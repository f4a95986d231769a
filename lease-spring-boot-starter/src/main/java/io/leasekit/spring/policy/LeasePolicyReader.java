package io.leasekit.spring.policy;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.OnUnavailable;
import io.leasekit.spring.schedule.LeaseSchedule;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads the annotations of one method into a policy, and rejects invalid settings. */
final class LeasePolicyReader {

    private final AnnotatedMethod annotated;
    private final LeaseKeysReader keysReader;
    private final LeaseMethodRules rules;

    LeasePolicyReader(AnnotatedMethod annotated, String keyPrefix) {
        this.annotated = annotated;
        this.keysReader = new LeaseKeysReader(annotated, keyPrefix);
        this.rules = new LeaseMethodRules(annotated.method(), annotated.targetClass());
    }

    LeasePolicy read() {
        annotated.refuseDifferentPolicies();
        OnUnavailable onUnavailable = annotated.choice("onUnavailable", OnUnavailable.class);
        HandlerBean handler = handler(onUnavailable);
        boolean skipUnavailable = handler == null && skips(onUnavailable);
        OnStoreFailure onStoreFailure = annotated.choice("onStoreFailure", OnStoreFailure.class);
        OnLost onLost = annotated.choice("onLost", OnLost.class);
        checkSignature(skipUnavailable, onStoreFailure == OnStoreFailure.SKIP, onLost);
        UnaryOperator<LeaseRequest> terms = new LeaseTermsReader(annotated, keysReader.name()).read();
        LeaseOnce once = once(terms);
        List<LeaseKey> keys = keysReader.keys();
        checkCatchUp(once, keys, terms);
        return new LeasePolicy(
                annotated.qualifiedName(),
                keysReader.name(),
                keys,
                fixedRequest(keys, terms),
                terms,
                annotated.text("manager"),
                skipUnavailable,
                handler,
                onStoreFailure,
                onLost,
                once,
                once.bySlot() || skips(onUnavailable),
                rules.result(),
                SkippedResult.of(annotated.method().getReturnType()),
                LeaseParameters.of(
                        annotated.method(), new ProgressReader(annotated.texts()).codec(), annotated.isResumable()));
    }

    private LeaseOnce once(UnaryOperator<LeaseRequest> terms) {
        LeaseOnce once = new LeaseOnceReader(annotated).read(terms.apply(LeaseRequest.of(annotated.qualifiedName())));
        if (once.hasSlots()) {
            // A firing is skipped if its run is already done, whatever 'onUnavailable' says.
            rules.refuseResultThatCannotBeSkipped("once", "NEVER");
        }
        return once;
    }

    private void checkCatchUp(LeaseOnce once, List<LeaseKey> keys, UnaryOperator<LeaseRequest> terms) {
        boolean permits =
                terms.apply(LeaseRequest.of(annotated.qualifiedName())).permits() > 0;
        String problem = once.catchUp() == null ? null : problemOfCatchUp(once, keys, permits);
        if (problem != null) {
            throw annotated.invalid(
                    "catchUp is set, but " + problem,
                    "Remove 'catchUp'. It needs @Scheduled with a cron expression whose times are at least 10 s apart,"
                            + " no name in 'once', no permits, and one key without an expression.");
        }
    }

    private static @Nullable String problemOfCatchUp(LeaseOnce once, List<LeaseKey> keys, boolean permits) {
        if (once.run() != null) {
            return "once names its runs, which have no slots";
        }
        if (!once.schedule().isScheduled()) {
            return "the method has no @Scheduled";
        }
        if (!once.bySlot()) {
            return permits ? "a method with permits has no slots" : "once is NEVER, so it has no slots";
        }
        // A disabled schedule also has no slots, but is no error.
        if (once.schedule().fires() && !once.hasSlots()) {
            return "its firings have no slots";
        }
        if (keys.size() > 1) {
            return "its lease has several keys";
        }
        return keys.get(0).isFixed() ? null : "its key has an expression";
    }

    private @Nullable LeaseRequest fixedRequest(List<LeaseKey> keys, UnaryOperator<LeaseRequest> terms) {
        boolean fixed = keys.size() == 1 && keys.get(0).isFixed();
        return fixed ? terms.apply(LeaseRequest.of(keys.get(0).text()).named(keysReader.name())) : null;
    }

    private void checkSignature(boolean skipUnavailable, boolean skipStoreFailure, OnLost onLost) {
        rules.refuseScheduledWithParameters();
        rules.refuseSchedulerLock();
        rules.refuseSeveralLeaseParameters();
        rules.refuseUnguardableResult();
        rules.refuseStageOfOtherType(onLost);
        if (skipUnavailable || skipStoreFailure) {
            rules.refuseResultThatCannotBeSkipped(skipUnavailable ? "onUnavailable" : "onStoreFailure", "THROW");
        }
    }

    private boolean skips(OnUnavailable onUnavailable) {
        return onUnavailable == OnUnavailable.SKIP
                || (onUnavailable == OnUnavailable.AUTO && LeaseSchedule.isScheduled(annotated.method()));
    }

    private @Nullable HandlerBean handler(OnUnavailable onUnavailable) {
        String name = annotated.text("unavailableHandler");
        if (name.isEmpty()) {
            return null;
        }
        if (onUnavailable != OnUnavailable.AUTO) {
            throw annotated.invalid(
                    "both unavailableHandler and onUnavailable " + onUnavailable + " are set", "Set one of them.");
        }
        HandlerBean handler = new HandlerBean(name, annotated.method(), annotated.beanFactory());
        String problem = handler.problem();
        if (problem != null) {
            throw annotated.invalid(problem, "Name a bean of type LeaseUnavailableHandler.");
        }
        return handler;
    }
}
