import { MemoryStore } from '@conv/core/store';
import { openLocalConversation, type LocalConversation } from '@conv/local';
import { tracedStore, withCaller, type TracedStoreOptions } from '@conv/otel';
import { SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';

import { calls, scripted } from './openai-api.ts';
import { TraceReceiver } from './trace-receiver.ts';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function traced(options: TracedStoreOptions): Promise<LocalConversation> {
  const store = tracedStore(new MemoryStore(), options);
  const agent = scripted(calls('echo', 'hi'), { text: 'Done.' });
  const conversation = await openLocalConversation({ storeAt: () => store }, { store, agent, workspace: '.' });
  onTestFinished(() => conversation.close());
  return conversation;
}

/** A conversation with one call of a tool, traced in memory, and its spans. */
async function spansOf(more: Partial<TracedStoreOptions> = {}): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  const conversation = await traced({ tracer: provider.getTracer('test'), ...more });
  await conversation.sendMessage('Go');
  await withCaller(CALLER, () => conversation.run());
  await provider.forceFlush();
  return exporter.getFinishedSpans();
}

const above = (spans: readonly ReadableSpan[], span: ReadableSpan): string | undefined =>
  spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)?.name;

test('a run of a local conversation is a span in the trace of its caller, with its steps and calls', async () => {
  const spans = await spansOf();
  expect(spans.map((span) => [span.name, above(spans, span)])).toEqual([
    [expect.stringMatching(/^chat /), 'step'],
    ['execute_tool echo', 'step'],
    ['step', 'invoke_agent'],
    [expect.stringMatching(/^chat /), 'step'],
    ['step', 'invoke_agent'],
    ['invoke_agent', undefined],
  ]);
  const run = spans.at(-1);
  expect(run?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(
    new Set(['0af7651916cd43dd8448eb211c80319c']),
  );
  expect(run?.attributes['conv.run.status']).toBe('finished');
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('Done.');
});

test('a run that ends in an error is a failed span with the code of the error', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  const conversation = await traced({ tracer: provider.getTracer('test') });
  await conversation.sendMessage('Go');
  expect((await conversation.run({ maxIterations: 1 })).status).toBe('error');
  await provider.forceFlush();
  const run = exporter.getFinishedSpans().find(({ name }) => name === 'invoke_agent');
  expect(run?.attributes).toMatchObject({ 'conv.run.status': 'error', 'error.type': 'MaxIterationsReached' });
  expect(run?.status.code).toBe(SpanStatusCode.ERROR);
});

test('content is in spans only where it is asked for', async () => {
  const [chat, tool] = await spansOf({ content: true });
  expect(chat?.attributes['gen_ai.output.messages']).toContain('tool_call');
  expect(tool?.attributes['gen_ai.tool.call.arguments']).toContain('hi');
  expect(tool?.attributes['gen_ai.tool.call.result']).toContain('hi');
});

test('spans come to a collector as OTLP over HTTP', async () => {
  const receiver = new TraceReceiver();
  const exporter = new OTLPTraceExporter({ url: `${await receiver.listen()}/v1/traces` });
  onTestFinished(() => receiver.close());
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  const conversation = await traced({ tracer: provider.getTracer('test') });
  await conversation.sendMessage('Go');
  await conversation.run();
  await provider.shutdown();
  expect(receiver.spans.map(({ name }) => name)).toContain('execute_tool echo');
});

test('a tracer that throws harms no conversation, and its error is reported', async () => {
  const errors: unknown[] = [];
  const startSpan = (): never => {
    throw new Error('no spans');
  };
  const tracer = { startSpan } as unknown as NonNullable<TracedStoreOptions['tracer']>;
  const conversation = await traced({ tracer, onError: (error) => errors.push(error) });
  await conversation.sendMessage('Go');
  expect((await conversation.run()).status).toBe('finished');
  expect(errors).not.toEqual([]);
});
