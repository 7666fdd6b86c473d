import { AsyncLocalStorage } from 'node:async_hooks';

import { checks } from '@conv/core';
import { context, type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';

const callers = new AsyncLocalStorage<Context>();

/** The header of W3C Trace Context, version 00. */
const HEADER = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Does work for a caller whose request had this `traceparent`: runs that begin in it belong to the trace of the caller. A header that is
 * missing or malformed changes nothing. Returns what the work returns.
 */
export function withCaller<T>(traceparent: unknown, work: () => T): T {
  if (typeof work !== 'function')
    throw new TypeError(checks.wrongValue('withCaller: work', 'a function that does work for the caller', work));
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && HEADER.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return work();
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return callers.run(trace.setSpanContext(ROOT_CONTEXT, caller), work);
}

/** Returns the context of the caller: what {@link withCaller} was given, else the context of OpenTelemetry. */
export function callerContext(): Context {
  return callers.getStore() ?? context.active();
}
