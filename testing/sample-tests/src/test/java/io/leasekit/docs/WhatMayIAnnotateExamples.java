package io.leasekit.docs;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnUnavailable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Service;

/** The Java examples of docs/what-may-i-annotate.md, between a line {@code // <name>} and a line {@code // end}. */
class WhatMayIAnnotateExamples {

    static class Classes {
        // type
        @Service
        @DistributedLease("stock")
        class Stock {

            public void add(int amount) {} // under the lease

            @DistributedLease("stock-report")
            public void report() {} // under its own lease

            void recount() {} // not public: without a lease
        }
        // end
    }

    // composed
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLease(waitFor = "10s", onLost = OnLost.INTERRUPT)
    @interface Exclusive {

        @AliasFor(annotation = DistributedLease.class, attribute = "key")
        String value();
    }
    // end

    static class Transfers {
        // several
        @DistributedLease(key = "account-#{#from}", waitFor = "5s")
        @DistributedLease(key = "account-#{#to}", waitFor = "5s")
        public void transfer(String from, String to, long amount) {
            // two transfers in opposite directions do not block each other
        }
        // end
    }

    static class Selves {
        // self
        @Service
        class Imports {

            private final Imports self;

            Imports(@Lazy Imports self) {
                this.self = self;
            }

            public void importAll(List<String> files) {
                files.forEach(file -> self.importFile(file)); // through the proxy: one lease for each file
            }

            @DistributedLease(key = "import-#{#file}")
            public void importFile(String file) {
                LeaseAssert.assertHeld(); // fails if the method was called without its proxy
            }
        }
        // end
    }

    static class StartUp {
        // start
        @EventListener(ApplicationReadyEvent.class)
        @DistributedLease(key = "warm-up", onUnavailable = OnUnavailable.SKIP)
        public void warmUp() {
            // one node at a time
        }
        // end
    }
}
