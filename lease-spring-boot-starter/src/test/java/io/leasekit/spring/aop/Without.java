package io.leasekit.spring.aop;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/** Applications that run without some of the libraries on the class path. */
final class Without {

    private Without() {}

    /**
     * Runs an application, which has a constructor without parameters, and returns its result.
     *
     * @param missing the names of the jars to leave out, with slashes
     */
    static Object run(Pattern missing, Class<? extends Callable<?>> application) throws Exception {
        URL[] classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !missing.matcher(entry.replace('\\', '/')).matches())
                .map(Without::url)
                .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            return ((Callable<?>) loader.loadClass(application.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
