package io.leasekit.sample;

import java.time.LocalDate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Closes the books of a day, for example with {@code curl -X POST localhost:8080/books/2026-11-21/close}. */
@RestController
class BooksController {

    private final BookKeeping books;

    BooksController(BookKeeping books) {
        this.books = books;
    }

    @PostMapping("/books/{day}/close")
    String close(@PathVariable LocalDate day) {
        books.close(day);
        return "Books of " + day + " are closed\n";
    }
}
