/**
 * Suites that every store and every runtime passes. Each case is a name and a function; any test runner will do.
 *
 * @packageDocumentation
 */
export {};
