package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each test that docs/neighbours.md names exists, and each scenario has one or is meant to be otherwise. */
class NeighboursTest {

    private static final String PAGE = DocumentPages.read(DocumentPages.DOCS.resolve("neighbours.md"));

    @Test
    void everyNamedTestExists() {
        NamedTests.assertExist(PAGE, 100);
    }

    @Test
    void aScenarioWithoutATestSaysWhy() {
        List<String> rows = PAGE.lines().filter(line -> line.startsWith("| ")).toList();

        assertThat(rows).hasSizeGreaterThan(100).allSatisfy(row -> {
            String[] columns = row.split("\\|");
            assertThat(columns).hasSize(4);
            if (!row.equals("| Scenario | Our test | Result |") && !NamedTests.isIn(columns[2])) {
                assertThat(columns[3].strip()).matches("otherwise: .+|not written: .+");
            }
        });
    }
}
