package io.leasekit.spring.aop;

/** The manager that a method asks for is not there, or it is not clear which one it is. */
final class NoSuchLeaseManagerException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String cure;

    NoSuchLeaseManagerException(String problem, String cure, Throwable cause) {
        super(problem, cause);
        this.cure = cure;
    }

    String cure() {
        return cure;
    }
}
