/**
 * Traces and metrics of conversations for OpenTelemetry, named as its conventions for generative AI name them.
 *
 * @packageDocumentation
 */
export { traceHeaders, withCaller } from './callers.ts';
export { RunSpans, type RunSpansOptions } from './run-spans.ts';
export { tracedStore, type TracedStoreOptions } from './traced-store.ts';
