package io.leasekit.sample;

import io.leasekit.spring.DistributedLease;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Transfers money under one lease for both accounts; the order of the accounts does not matter. */
@Service
class TransferService {

    private static final Logger log = LoggerFactory.getLogger(TransferService.class);

    @DistributedLease(key = "account-#{#from}", ttl = "${sample.transfer.ttl}", waitFor = "${sample.transfer.wait-for}")
    @DistributedLease(key = "account-#{#to}", ttl = "${sample.transfer.ttl}", waitFor = "${sample.transfer.wait-for}")
    void transfer(String from, String to, Duration duration) throws InterruptedException {
        log.info("Transfer from {} to {} begins", from, to);
        Thread.sleep(duration.toMillis());
    }
}
