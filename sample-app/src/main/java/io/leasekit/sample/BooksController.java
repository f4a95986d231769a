package io.leasekit.sample;

import io.leasekit.LeaseAlreadyRanException;
import java.time.LocalDate;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Closes the books of a day: {@code curl -X POST localhost:8080/books/2026-11-21/close}. */
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

    @ExceptionHandler
    @ResponseStatus(HttpStatus.CONFLICT)
    String closedAlready(LeaseAlreadyRanException done) {
        return done.getMessage() + "\n";
    }
}
