package io.leasekit.docs;

import io.leasekit.Progress;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnUnavailable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AliasFor;
import org.springframework.resilience.annotation.ConcurrencyLimitBeanPostProcessor;
import org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

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

    static class Exports {
        private final Exporter exporter = (orders, number) -> {};

        // permits
        @DistributedLease(key = "export", permits = "3", permitsPerNode = "1")
        public void export(List<String> orders) {
            // on at most three nodes at a time, as number 0, 1 or 2
            exporter.export(orders, LeaseContext.current().slot());
        }
        // end
    }

    interface Exporter {
        void export(List<String> orders, int number);
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

    static class Warehouse {

        interface Stocks {
            Mono<Stock> save(long count);
        }

        interface Counter {
            Mono<Long> count(String item);
        }

        record Stock(String item, long count) {}

        private Counter warehouse;
        private Stocks stocks;

        // reactive
        @DistributedLease(key = "stock-#{#item}", waitFor = "10s")
        public Mono<Stock> recount(String item) {
            return warehouse.count(item).flatMap(stocks::save);
        }
        // end
    }

    static class OrderImport {

        interface Store {
            void add(String order);
        }

        private Store store;

        // progress
        @DistributedLease("import")
        public void importOrders(List<String> orders, @Nullable Progress<Integer> progress) {
            for (int i = progress.last().orElse(0); i < orders.size(); i++) {
                store.add(orders.get(i));
                progress.save(i + 1); // if this call fails or its node dies, the next one continues here
            }
        }
        // end
    }

    static class Orders {
        // caching
        @Configuration
        @EnableCaching(order = Ordered.LOWEST_PRECEDENCE - 2000) // outside: a hit takes no lease
        class Caching {}
        // end

        // resilience
        @Configuration
        class Resilience {

            @Bean
            static RetryAnnotationBeanPostProcessor retries() {
                RetryAnnotationBeanPostProcessor retries = new RetryAnnotationBeanPostProcessor();
                retries.setBeforeExistingAdvisors(false); // inside
                return retries;
            }

            @Bean
            static ConcurrencyLimitBeanPostProcessor limits() {
                ConcurrencyLimitBeanPostProcessor limits = new ConcurrencyLimitBeanPostProcessor();
                limits.setBeforeExistingAdvisors(false); // inside
                return limits;
            }
        }
        // end
    }
}
