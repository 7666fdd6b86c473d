import { drafts, stampEvent, textContent, type Event } from '@conv/core/events';
import { SpanStatusCode } from '@opentelemetry/api';
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';

import { RunSpans, type RunSpansOptions } from '../src/run-spans.ts';
import { LONGEST_CONTENT, LONGEST_TEXT } from '../src/span-text.ts';
import { record } from './record.ts';

const VALUE = 'tok_8fJ2kQ91xZ';
const mask = (text: string): string => text.replaceAll(VALUE, '<secret-hidden>');

const parent = { id: 'parent', parentId: null };
const child = { id: 'child', parentId: 'parent' };
const call = (id: string, tool: string) => ({ actionId: id, toolCallId: `call_${id}`, tool });

/** Returns the spans of the work by their names, each with the name of its parent span. */
async function tree(work: (spans: RunSpans) => void): Promise<readonly (readonly [string, string | undefined])[]> {
  return (await spansOf(work)).map(({ span, above }) => [span.name, above?.name]);
}

async function spansOf(
  work: (spans: RunSpans) => void,
  options: RunSpansOptions = {},
): Promise<readonly { readonly span: ReadableSpan; readonly above: ReadableSpan | undefined }[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  work(new RunSpans(provider.getTracer('test'), { mask, ...options }));
  await provider.forceFlush();
  const spans = exporter.getFinishedSpans();
  const above = (span: ReadableSpan): ReadableSpan | undefined =>
    spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId);
  const found = spans.map((span) => ({ span, above: above(span) }));
  await provider.shutdown();
  return found;
}

test('a conversation that works for another one stands in the call that started it', async () => {
  const seen = await tree((spans) => {
    spans.started('parent');
    spans.modelCalled(parent, record, true);
    spans.toolStarted(parent, call('a', 'task'));
    spans.modelCalled(child, record, true);
    spans.toolStarted(child, call('b', 'terminal'));
    spans.toolEnded(child, call('b', 'terminal'), 'done');
    spans.released('child');
    spans.toolEnded(parent, call('a', 'task'), 'done');
    spans.ended('parent', { status: 'finished' });
  });
  expect(seen).toEqual([
    ['chat anthropic/model', 'step'],
    ['chat anthropic/model', 'step'],
    ['execute_tool terminal', 'step'],
    ['step', 'execute_tool task'],
    ['execute_tool task', 'step'],
    ['step', 'invoke_agent'],
    ['invoke_agent', undefined],
  ]);
});

test('a call of a model lasts as long as it took, and one of a helper is no step', async () => {
  const spans = await spansOf((told) => {
    told.started('parent');
    told.modelCalled(parent, { ...record, usageId: 'condenser' }, false);
    told.ended('parent', { status: 'finished' });
  });
  expect(spans.map(({ span, above }) => [span.name, above?.name])).toEqual([
    ['chat anthropic/model', 'invoke_agent'],
    ['invoke_agent', undefined],
  ]);
  const [chat] = spans;
  expect(chat?.span.startTime).toEqual([999_998, 0]);
  expect(chat?.span.endTime).toEqual([1_000_000, 0]);
  expect(chat?.span.attributes).toMatchObject({
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'model',
    'gen_ai.usage.cache_read.input_tokens': 2,
    'conv.usage.id': 'condenser',
    'conv.usage.cost_usd': 0.5,
  });
});

test('spans that are open when a run ends, or when its conversation is let go, end with it', async () => {
  const open = (end: (spans: RunSpans) => void) =>
    tree((spans) => {
      spans.started('parent');
      spans.modelCalled(parent, record, true);
      spans.toolStarted(parent, call('a', 'terminal'));
      end(spans);
    });
  const all = [
    ['chat anthropic/model', 'step'],
    ['execute_tool terminal', 'step'],
    ['step', 'invoke_agent'],
    ['invoke_agent', undefined],
  ];
  expect(await open((spans) => spans.ended('parent', { status: 'paused', error: new TypeError('no') }))).toEqual(all);
  expect(await open((spans) => spans.released('parent'))).toEqual(all);
});

test('P9: names that models and clients choose are masked and bounded, in names and in attributes', async () => {
  const model = `provider/${VALUE}${'m'.repeat(50_000)}`;
  const seen = await spansOf((spans) => {
    spans.started('parent');
    spans.modelCalled(parent, { ...record, model, responseId: VALUE, usageId: VALUE }, true);
    const tool = { actionId: 'a', toolCallId: `${VALUE}${'x'.repeat(200_000)}`, tool: `${VALUE}${'t'.repeat(50_000)}` };
    spans.toolStarted(parent, tool);
    spans.toolEnded(parent, tool, 'done');
    spans.ended('parent', { status: 'error', error: Object.assign(new Error('no'), { code: VALUE }) });
  });
  const names = seen.map(({ span }) => span.name);
  const texts = seen.flatMap(({ span }) => Object.values(span.attributes)).filter((value) => typeof value === 'string');
  for (const text of [...names, ...texts]) {
    expect(text.length).toBeLessThanOrEqual(LONGEST_TEXT);
    expect(text).not.toContain(VALUE);
  }
  expect(texts).toContain('<secret-hidden>');
  expect(names).toHaveLength(4);
});

test('a run whose conversation ends in an error or a loop is a failed span with the code of its last event', async () => {
  const ended = async (status: 'error' | 'stuck' | 'finished', ...events: readonly Event[]) => {
    const [run] = await spansOf((spans) => {
      spans.started('parent');
      spans.statusChanged(parent, status, events);
      spans.ended('parent', { status });
    });
    return [run?.span.attributes['error.type'], run?.span.status.code];
  };
  const draft = drafts.conversationError('MaxIterationsReached', 'Too many.', { kind: 'unknown', retryable: false });
  const reason = stampEvent(draft, { id: 'reason', timestamp: '2026-01-01T00:00:00.000000' });
  expect(await ended('error', reason)).toEqual(['MaxIterationsReached', SpanStatusCode.ERROR]);
  expect(await ended('stuck')).toEqual(['stuck', SpanStatusCode.ERROR]);
  expect(await ended('finished')).toEqual([undefined, SpanStatusCode.UNSET]);
});

test('P9: content is masked, and JSON that is too long is cut in its texts, so that it stays JSON', async () => {
  const long = `${VALUE} ${'"\\'.repeat(20_000)}`;
  const draft = drafts.action({
    tool_name: 'terminal',
    tool_call_id: 'call_a',
    tool_call: { id: 'call_a', name: 'terminal', arguments: JSON.stringify({ command: long }), origin: 'completion' },
    action: { kind: 'TerminalAction', command: long },
    llm_response_id: 'response-1',
  });
  const stamp = { id: 'a', timestamp: '2026-01-01T00:00:00.000000' };
  const action = stampEvent(draft, stamp);
  const result = stampEvent(drafts.observation(action, { kind: 'AResult', content: [textContent(long)] }), stamp);
  const seen = await spansOf(
    (spans) => {
      spans.started('parent');
      spans.modelCalled(parent, record, true, [action]);
      spans.toolStarted(parent, call('a', 'terminal'), action);
      spans.toolEnded(parent, call('a', 'terminal'), 'done', 1, result);
      spans.ended('parent', { status: 'finished' });
    },
    { content: true },
  );
  const said = seen.flatMap(({ span }) =>
    ['gen_ai.output.messages', 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'].flatMap(
      (name) => (span.attributes[name] as string | undefined) ?? [],
    ),
  );
  expect(said).toHaveLength(3);
  for (const text of said) {
    expect(text.length).toBeLessThanOrEqual(LONGEST_CONTENT);
    expect(text).not.toContain(VALUE);
    expect(text).toContain('<secret-hidden>');
  }
  const [messages = '', given = ''] = said;
  expect(JSON.parse(messages)).toMatchObject([{ role: 'assistant', parts: [{ type: 'tool_call', name: 'terminal' }] }]);
  expect(JSON.parse(given)).toEqual({ command: expect.stringMatching(/^<secret-hidden> "/) as string });
});
