package io.leasekit.benchmarks;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers as they are shown. */
final class Values {

    private static final MathContext DIGITS = new MathContext(4);

    private Values() {}

    /** To four digits; {@code NaN} is nothing to show. */
    static Object round(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "-";
        }
        return new BigDecimal(new BigDecimal(value).round(DIGITS).toPlainString());
    }
}
