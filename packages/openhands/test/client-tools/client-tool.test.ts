import { describe, expect, test } from 'vitest';

import { drafts, stampEvent, type ToolDefinition } from '@conv/core/events';
import { isToolError, type JsonObject, type ToolContext, type ToolResult } from '@conv/core/tool';
import { clientTool, parseClientTool } from '../../src/client-tools/index.ts';

const context = (signal: AbortSignal = new AbortController().signal): ToolContext => ({
  conversationId: 'c',
  workingDirectory: '/w',
  signal,
  toolCallId: 'call',
});

/** A tool with these properties. */
function withProperties(properties: JsonObject, more: JsonObject = {}): ReturnType<typeof clientTool> {
  return clientTool({ name: 'ask', description: 'Asks.', parameters: { type: 'object', properties, ...more } });
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isToolError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing';
}

describe('a client tool', () => {
  const spec = {
    name: 'canvas_ui_control',
    description: 'Moves the canvas.',
    parameters: {
      type: 'object',
      properties: { page: { type: 'string', enum: ['files', 'chat'] }, zoom: { type: 'number' } },
      required: ['page'],
    },
  };

  test('a client tool has the kinds of the wire, and its schema goes to the model as it is', () => {
    const tool = clientTool(spec);
    expect(tool.inputSchema).toBe(spec.parameters);
    const prompt = drafts.systemPrompt('', [tool.wire.definition as unknown as ToolDefinition]);
    const { tools } = stampEvent(prompt, { id: 'e', timestamp: '2026-01-01T00:00:00.000000' });
    expect(tools[0]).toEqual({
      description: 'Moves the canvas.',
      action_type: 'ClientAction_canvas_ui_control',
      observation_type: 'ClientToolObservation',
      client_tool_name: 'canvas_ui_control',
      input_schema: spec.parameters,
      kind: 'ClientTool',
      title: 'canvas_ui_control',
    });
    const action = tool.wire.toAction(tool.parse({ page: 'files', zoom: null }));
    expect(action).toEqual({ page: 'files', kind: 'ClientAction_canvas_ui_control' });
    expect(tool.parse(tool.wire.fromAction(action))).toEqual({ page: 'files' });
    expect(tool.resources({})).toEqual([]);
  });

  test("a client tool acknowledges its calls in the protocol's words, as an observation of its own kind", async () => {
    const tool = clientTool(spec);
    const result = await tool.execute({ page: 'files' }, context());
    expect(tool.wire.toObservation(result, {})).toEqual({
      content: [{ cache_prompt: false, type: 'text', text: 'Tool call dispatched to client.' }],
      is_error: false,
      kind: 'ClientToolObservation',
    });
  });

  test('a client tool has its calls answered by the given function, and rejects calls that are aborted', async () => {
    const seen: string[] = [];
    const answer = async ({ toolCallId }: ToolContext): Promise<ToolResult> => {
      seen.push(toolCallId);
      return { content: [], isError: true };
    };
    const tool = clientTool(spec, answer);
    expect(await tool.execute({}, context())).toEqual({ content: [], isError: true });
    const reason = new Error('over');
    await expect(tool.execute({}, context(AbortSignal.abort(reason)))).rejects.toBe(reason);
    expect(seen).toEqual(['call']);
  });

  test('a client tool passes on the annotations of its caller, and adds none', () => {
    const annotations = { title: 'Canvas', readOnlyHint: true, openWorldHint: false };
    const tool = clientTool({ ...spec, annotations });
    expect(tool.annotations).toEqual({ title: 'Canvas', readOnly: true, openWorld: false });
    expect(tool.wire.definition).toMatchObject({ annotations, title: 'Canvas' });
    expect(clientTool(spec).annotations).toEqual({});
  });

  test.each<readonly [string, JsonObject, JsonObject, string]>([
    ['a missing one', { a: { type: 'string' } }, {}, 'a: is required'],
    ['another type', { a: { type: 'integer' } }, { a: 1.5 }, 'a: must be an int'],
    ['a value that is not offered', { a: { enum: ['x', 'y'] } }, { a: 'z' }, 'a: must be one of "x", "y"'],
    ['what is inside', { a: { type: 'array', items: { type: 'string' } } }, { a: [1] }, 'a.0: must be a string'],
    ['a shared part', { a: { $ref: '#/$defs/A' } }, { a: 1 }, 'a: must be a string'],
    ['one without a schema', { a: true }, {}, 'a: is required'],
    [
      'the type of what else cannot be checked',
      { a: { type: 'string', not: { const: 'x' } } },
      { a: 1 },
      'a: must be a string',
    ],
  ])('P13: a client tool refuses %s by name', (_, properties, input, wrong) => {
    const tool = withProperties(properties, { required: ['a'], $defs: { A: { type: 'string' } } });
    expect(refusal(() => tool.parse(input))).toBe(`INVALID_INPUT: Invalid arguments for tool 'ask': ${wrong}`);
  });

  test('P13: a client tool refuses arguments that its schema does not name, as readers would', () => {
    const tool = withProperties({ a: { type: 'string' } }, { additionalProperties: true });
    expect(refusal(() => tool.parse({ b: 1 }))).toContain('unknown b');
  });

  test('a client tool leaves patterns, formats and defaults to the client that carries the call out', () => {
    const tool = withProperties({
      a: { type: 'string', pattern: '((' },
      b: { type: 'string', format: 'uri' },
      c: { type: 'string', default: 'x' },
      format: { type: 'string', minLength: 2 },
    });
    expect(tool.parse({ a: '1', b: 'no uri', format: 'ab' })).toEqual({ a: '1', b: 'no uri', format: 'ab' });
    expect(refusal(() => tool.parse({ format: 'a' }))).toContain('format: must have at least 2 characters');
  });

  test('a client tool leaves patterns of names, whose matching may take for ever, to the client', () => {
    const labels = {
      type: 'object',
      patternProperties: { '^(a+)+$': { type: 'string' } },
      additionalProperties: false,
    };
    const tool = withProperties({ labels, patternProperties: { type: 'string' } });
    const input = { labels: { [`${'a'.repeat(5000)}!`]: 'y' } };
    expect(tool.parse(input)).toEqual(input);
    expect(refusal(() => tool.parse({ labels: [] }))).toContain('labels: must be an object');
    expect(refusal(() => tool.parse({ patternProperties: 7 }))).toContain('patternProperties: must be a string');
  });

  test('a client tool takes what it cannot check', () => {
    const tool = withProperties({ a: { not: { type: 'string' } }, b: { type: 'strng' } });
    expect(tool.parse({ a: [1], b: { c: 2 } })).toEqual({ a: [1], b: { c: 2 } });
  });

  test.each<readonly [string, unknown, string]>([
    ['no object', 'ask', '(the spec)'],
    ['no name', { description: 'x' }, 'name'],
    ['no description', { name: 'a' }, 'description'],
    ['another schema', { name: 'a', description: 'x', parameters: { type: 'string' } }, 'parameters'],
    ['no schema', { name: 'a', description: 'x', parameters: [] }, 'parameters'],
    [
      'hints that are none',
      { name: 'a', description: 'x', annotations: { readOnlyHint: 1 } },
      'annotations.readOnlyHint',
    ],
  ])('P13: a client tool is not made of %s', (_, value, where) => {
    expect(refusal(() => parseClientTool(value))).toMatch(
      new RegExp(`^INVALID_DEFINITION: ${where.replace(/[()]/g, '\\$&')}: `),
    );
  });

  test('P13: a client tool gets no name that models cannot call, and no parameter that actions need', () => {
    expect(refusal(() => clientTool({ ...spec, name: 'a b' }))).toContain(
      'INVALID_DEFINITION: tool name: expected 1 to 64 letters',
    );
    expect(refusal(() => withProperties({ kind: { type: 'string' } }))).toContain('INVALID_DEFINITION: tool ask');
  });

  test('a client tool takes a spec without parameters, and passes over what it does not know', () => {
    expect(parseClientTool({ name: 'a', description: 'x', annotations: null, newer: 1 })).toEqual({
      name: 'a',
      description: 'x',
      parameters: { type: 'object', properties: {} },
    });
  });
});
