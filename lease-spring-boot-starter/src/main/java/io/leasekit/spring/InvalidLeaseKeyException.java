package io.leasekit.spring;

/** A key that cannot be read, and the cure; whoever knows the method names it. */
final class InvalidLeaseKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    InvalidLeaseKeyException(String problem, String cure) {
        super(problem);
        this.cure = cure;
    }

    String cure() {
        return cure;
    }
}
