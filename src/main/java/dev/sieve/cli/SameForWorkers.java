package dev.sieve.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says whether an option decides what is requested and how politely, so that all workers of a shared frontier must have
 * the same value; on a class, that of its options without an annotation of their own.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.TYPE})
@interface SameForWorkers {
    /** Whether the value must be the same. */
    boolean value() default true;
}
