import { AsyncLocalStorage } from 'node:async_hooks';

import { context, ROOT_CONTEXT, trace, type Context, type ContextManager, type SpanContext } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';

import { callerContext, traceHeaders, withCaller } from '../src/callers.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const HEADER = `00-${traceId}-${spanId}-01`;

/** A context manager as those of SDKs are. */
function manage(): void {
  const contexts = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => contexts.run(active, () => work.call(self as never, ...given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
  onTestFinished(() => context.disable());
}

const spanOf = (of: Context): SpanContext | undefined => trace.getSpanContext(of);

test('work for a caller begins runs in the trace of its headers, also without a context manager', async () => {
  const seen = await withCaller(
    HEADER,
    async () => {
      await Promise.resolve();
      return spanOf(callerContext());
    },
    'vendor=1,other=2',
  );
  expect(seen).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
  expect(seen?.traceState?.serialize()).toBe('vendor=1,other=2');
});

test("the active context of a context manager has a caller's headers, so the SDK sends them on", () => {
  manage();
  expect(withCaller(HEADER, () => spanOf(context.active()))).toMatchObject({ traceId, spanId });
});

test('a span of the same trace that is active, such as that of a server, is not replaced', () => {
  manage();
  const below = { traceId, spanId: 'aaaaaaaaaaaaaaaa', traceFlags: 1 };
  const seen = context.with(trace.setSpanContext(ROOT_CONTEXT, below), () =>
    withCaller(HEADER, () => spanOf(callerContext())?.spanId),
  );
  expect(seen).toBe(below.spanId);
  const inside = withCaller(HEADER, () =>
    context.with(trace.setSpanContext(context.active(), below), () => spanOf(callerContext())?.spanId),
  );
  expect(inside).toBe(below.spanId);
});

test('a span of another trace gives way to the caller', () => {
  manage();
  const other = { traceId: 'c'.repeat(32), spanId: 'aaaaaaaaaaaaaaaa', traceFlags: 1 };
  const seen = context.with(trace.setSpanContext(ROOT_CONTEXT, other), () =>
    withCaller(HEADER, () => [spanOf(callerContext())?.spanId, spanOf(context.active())?.spanId]),
  );
  expect(seen).toEqual([spanId, spanId]);
});

test('the headers of a caller go on as they came, and outside of its work there are none', async () => {
  const sent = await withCaller(
    HEADER,
    async () => {
      await Promise.resolve();
      return traceHeaders();
    },
    'vendor=1,other=2',
  );
  expect(sent).toEqual({ traceparent: HEADER, tracestate: 'vendor=1,other=2' });
  expect(withCaller(`00-${traceId}-${spanId}-00`, traceHeaders)).toEqual({ traceparent: `00-${traceId}-${spanId}-00` });
  expect(traceHeaders()).toEqual({});
});

test('the headers name an active span of the trace, under which the next process begins its own', () => {
  manage();
  const below = { traceId, spanId: 'aaaaaaaaaaaaaaaa', traceFlags: 1 };
  const sent = withCaller(HEADER, () => context.with(trace.setSpanContext(context.active(), below), traceHeaders));
  expect(sent).toEqual({ traceparent: `00-${traceId}-${below.spanId}-01` });
});

describe('a header changes nothing', () => {
  test.each([
    ['that is missing', undefined],
    ['that came twice', [HEADER, HEADER]],
    ['of another form', 'no trace'],
    ['of another version', `ff-${traceId}-${spanId}-01`],
    ['in capital letters', HEADER.toUpperCase()],
    ['with more behind it', `${HEADER}-00`],
    ['with the trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['with the span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ])('%s', (_, header) => {
    expect(withCaller(header, () => spanOf(callerContext()))).toBeUndefined();
  });
});
