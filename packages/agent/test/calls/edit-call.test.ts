import { drafts, type ActionEvent, type JsonObject } from '@conv/core/events';
import { defineTool, isToolError } from '@conv/core/tool';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/index.ts';
import { type Bench, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add, terminal } from '../support/tools.ts';

const start = (): Promise<Bench> => startBench(createAgent({ model: scriptedModel([]), tools: [add, terminal] }));

/** Appends a call of the tool, as a model made it. */
function called(bench: Bench, name: string, args: JsonObject): ActionEvent {
  bench.append([
    drafts.action({
      action: { data: args, kind: 'MCPToolAction' },
      thought: [{ type: 'text', text: 'First this.', cache_prompt: false }],
      security_risk: 'LOW',
      tool_name: name,
      tool_call_id: 'call_1__thought__signature',
      tool_call: {
        id: 'call_1__thought__signature',
        responses_item_id: 'fc_1',
        name,
        arguments: JSON.stringify({ security_risk: 'LOW', summary: 'adds', ...args }),
        origin: 'responses',
      },
      llm_response_id: 'response',
    }),
  ]);
  const [pending] = bench.pending();
  if (!pending) throw new Error('nothing is pending');
  return pending;
}

test('an edited call has ids of its own, the new arguments and the response of the call that it replaces', async () => {
  await using bench = await start();
  const call = called(bench, 'add', { numbers: [1] });
  const args = { security_risk: 'LOW', summary: 'adds', numbers: [2, 3] };
  const edited = bench.session.edit?.(call, args);
  const id = edited?.tool_call_id;
  expect(id).toMatch(/^call_[0-9a-f]{32}$/);
  expect(edited).toMatchObject({
    action: { kind: 'MCPToolAction', data: { numbers: [2, 3] } },
    thought: [],
    security_risk: 'UNKNOWN',
    summary: 'add: {"numbers": [2, 3]}',
    llm_response_id: 'response',
  });
  // the item of the Responses API belongs to the call that the model made
  expect(edited?.tool_call).toEqual({ id, name: 'add', arguments: '{"numbers": [2, 3]}', origin: 'responses' });
  expect(args.summary).toBe('adds');
});

test.for([
  ['a wrong type', { numbers: ['1'] }, 'numbers'],
  ['a missing argument', { note: 'x' }, 'numbers'],
  ['an unknown argument', { numbers: [1], nubmers: [2] }, 'nubmers'],
] as const)(
  'an edit with %s is refused by the name of the argument, and nothing is repaired',
  async ([, args, name]) => {
    await using bench = await start();
    const call = called(bench, 'add', { numbers: [1] });
    let refused: unknown;
    try {
      bench.session.edit?.(call, args);
    } catch (error) {
      refused = error;
    }
    expect(isToolError(refused, 'INVALID_INPUT') && refused.message).toContain(name);
  },
);

test('the edit of a call whose tool is gone is refused', async () => {
  await using bench = await start();
  const call = called(bench, 'add', { numbers: [1] });
  expect(() => bench.session.edit?.({ ...call, tool_name: 'gone' }, {})).toThrow("Tool 'gone' is no longer available");
});

test.for([
  ['an object', { place: { line: 1, colum: 2 } }, 'place.colum'],
  ['a list', { marks: [{ line: 1 }, { line: 2, note: 'x' }] }, 'marks.1.note'],
] as const)('an edit with an unknown argument inside %s is refused by its path', async ([, args, path]) => {
  const place = z.object({ line: z.number(), column: z.number().optional() });
  const input = z.object({ place: place.optional(), marks: z.array(place).optional() });
  const mark = defineTool({ name: 'mark', description: 'Marks.', input, execute: async () => 'marked' });
  await using bench = await startBench(createAgent({ model: scriptedModel([]), tools: [mark] }));
  const call = called(bench, 'mark', {});
  expect(() => bench.session.edit?.(call, args)).toThrow(`unknown ${path}`);
  expect(bench.session.edit?.(call, { place: { line: 1, column: 2 }, marks: [{ line: 1 }] })).toBeDefined();
});
