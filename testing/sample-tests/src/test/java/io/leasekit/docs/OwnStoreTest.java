package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The store of {@code docs/own-store.md} is short and keeps the contract. */
class OwnStoreTest extends OwnStoreExamples.FileLeaseStoreTest {

    @Test
    void theExampleHasAtMost150Lines() {
        String page = DocumentPages.read(DocumentPages.DOCS.resolve("own-store.md"));
        String example =
                page.substring(page.indexOf("```java\n") + 8, page.indexOf("\n```\n", page.indexOf("```java")));

        assertThat(example.lines()).hasSizeLessThanOrEqualTo(150);
    }
}
