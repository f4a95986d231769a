package io.leasekit.sample;

import java.time.Duration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Calls {@link ExportService}, whose lease has permits, and {@link TransferService}, whose lease has several keys. */
@RestController
class ShapesController {

    private final ExportService exports;
    private final TransferService transfers;

    ShapesController(ExportService exports, TransferService transfers) {
        this.exports = exports;
        this.transfers = transfers;
    }

    @PostMapping("/exports/{customer}")
    String export(@PathVariable String customer, @RequestParam(defaultValue = "5") int seconds)
            throws InterruptedException {
        int session = exports.export(customer, Duration.ofSeconds(seconds));
        return customer + " was exported in session " + session + "\n";
    }

    @PostMapping("/accounts/{from}/transfer/{to}")
    String transfer(@PathVariable String from, @PathVariable String to, @RequestParam(defaultValue = "5") int seconds)
            throws InterruptedException {
        transfers.transfer(from, to, Duration.ofSeconds(seconds));
        return "Money was transferred from " + from + " to " + to + "\n";
    }
}
