package io.leasekit.benchmarks;

import java.math.BigDecimal;
import java.math.MathContext;

/** Formats numbers for the results. */
final class Values {

    private static final MathContext DIGITS = new MathContext(4);

    private Values() {}

    /** Rounds to four digits; {@code NaN} and infinity are shown as a dash. */
    static Object round(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "-";
        }
        return new BigDecimal(new BigDecimal(value).round(DIGITS).toPlainString());
    }
}
