package io.leasekit.engine;

import io.leasekit.requests.RequestRules;

/** Gives the engine's rules to tests of other packages. */
public final class TestRules {

    private TestRules() {}

    public static RequestRules right() {
        return new FeatureRules();
    }
}
