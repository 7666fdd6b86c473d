import { AsyncLocalStorage } from 'node:async_hooks';

import { checks } from '@conv/core';
import {
  context,
  type Context,
  createTraceState,
  isSpanContextValid,
  type SpanContext,
  trace,
} from '@opentelemetry/api';

/** Contexts of callers, for processes in which OpenTelemetry has no context manager. */
const callers = new AsyncLocalStorage<Context>();

/** The header of W3C Trace Context, version 00. */
const HEADER = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Does work for a caller whose request had this `traceparent`, and this `tracestate` if it is given: runs that begin in it belong to the
 * trace of the caller. With a context manager the work has the caller's context, so that the SDK's instrumentation sends the headers on.
 * A `traceparent` that is missing or malformed, and one in whose trace the work is already, change nothing. Returns what the work returns.
 */
export function withCaller<T>(traceparent: unknown, work: () => T, tracestate?: unknown): T {
  if (typeof work !== 'function')
    throw new TypeError(checks.wrongValue('withCaller: work', 'a function that does work for the caller', work));
  const caller = callerOf(traceparent, tracestate);
  if (!caller) return work();
  const active = context.active();
  const joined = traceOf(active) === caller.traceId ? active : trace.setSpanContext(active, caller);
  return callers.run(joined, () => context.with(joined, work));
}

/**
 * Returns the context in which a run begins: the active one of OpenTelemetry, unless {@link withCaller} has another trace than that.
 */
export function callerContext(): Context {
  const active = context.active();
  const caller = callers.getStore();
  return caller === undefined || traceOf(caller) === traceOf(active) ? active : caller;
}

/**
 * Returns the headers that continue a trace in another process, `traceparent` and `tracestate`: those of the active span of OpenTelemetry, or
 * of the caller that {@link withCaller} works for. Without a trace there are none.
 */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = trace.getSpanContext(callerContext());
  if (!span || !isSpanContextValid(span)) return {};
  const { traceId, spanId, traceFlags, traceState } = span;
  const tracestate = traceState?.serialize() ?? '';
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  return { traceparent, ...(tracestate === '' ? {} : { tracestate }) };
}

function callerOf(traceparent: unknown, tracestate: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && HEADER.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const caller: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {}),
  };
  return isSpanContextValid(caller) ? caller : undefined;
}

function traceOf(of: Context): string | undefined {
  return trace.getSpanContext(of)?.traceId;
}
