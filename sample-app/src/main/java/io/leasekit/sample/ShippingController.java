package io.leasekit.sample;

import java.time.Duration;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Ships orders, for example with {@code curl -X POST 'localhost:8080/orders/17/ship?seconds=30'}. */
@RestController
class ShippingController {

    private final ShippingService shipping;

    ShippingController(ShippingService shipping) {
        this.shipping = shipping;
    }

    @PostMapping("/orders/{order}/ship")
    String ship(@PathVariable long order, @RequestParam(defaultValue = "5") int seconds) throws InterruptedException {
        shipping.ship(order, Duration.ofSeconds(seconds));
        return "Order " + order + " was shipped\n";
    }

    @PostMapping("/orders/{order}/pack")
    Mono<String> pack(@PathVariable long order, @RequestParam(defaultValue = "5") int seconds) {
        return shipping.pack(order, Duration.ofSeconds(seconds)).map(text -> text + "\n");
    }

    @DeleteMapping("/orders/{order}")
    String cancel(@PathVariable long order) {
        shipping.cancel(order);
        return "Order " + order + " was cancelled\n";
    }
}
