import { expect, test } from 'vitest';
import { z } from 'zod';

import { defineTool, isToolFactory, text } from '../../../src/contract/tool/index.ts';
import { nativeWire } from '../../../src/contract/tool/mcp-wire.ts';

const input = z.object({
  command: z.string(),
  timeout: z.number().nullish(),
  deep: z.array(z.object({ a: z.int() })).default([]),
});

const plain = defineTool({
  name: 'plain',
  description: 'Does it.',
  input,
  annotations: { readOnly: true, title: 'Plain' },
  execute: () => 'ok',
});

const native = defineTool({
  name: 'terminal',
  description: 'Runs it.',
  input,
  wire: (tool) =>
    nativeWire(tool, { definition: 'TerminalTool', action: 'TerminalAction', observation: 'TerminalObservation' }),
  execute: () => 'ok',
});

test('a tool travels as an MCP tool, with its schema and conservative annotations', () => {
  const annotations = {
    title: 'Plain',
    readOnlyHint: true,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  };
  expect(plain.wire.definition).toEqual({
    description: 'Does it.',
    action_type: 'MCPToolAction',
    observation_type: 'MCPToolObservation',
    annotations,
    mcp_tool: { name: 'plain', description: 'Does it.', inputSchema: plain.inputSchema, annotations },
    kind: 'MCPToolDefinition',
    title: 'Plain',
  });
});

test('an MCP action holds the input as data and gives it back', () => {
  const parsed = plain.parse({ command: 'x', deep: [{ a: 1 }] });
  const action = plain.wire.toAction(parsed);
  expect(action).toEqual({ data: { command: 'x', deep: [{ a: 1 }] }, kind: 'MCPToolAction' });
  expect(plain.parse(plain.wire.fromAction(action))).toEqual(parsed);
});

test('an MCP observation names the tool before its content', () => {
  const action = plain.wire.toAction(plain.parse({ command: 'x' }));
  expect(plain.wire.toObservation({ content: text('ok'), isError: true }, action)).toEqual({
    content: [...text("[Tool 'plain' executed.]"), ...text('ok')],
    is_error: true,
    tool_name: 'plain',
    kind: 'MCPToolObservation',
  });
});

test('a tool with kinds of its own has its input as members of the action, nulls omitted, kind last', () => {
  const action = native.wire.toAction(native.parse({ command: 'ls', timeout: null }));
  expect(action).toEqual({ command: 'ls', deep: [], kind: 'TerminalAction' });
  expect(Object.keys(action).at(-1)).toBe('kind');
  expect(native.parse(native.wire.fromAction(action))).toEqual({ command: 'ls', deep: [] });
  expect(native.wire.definition).toMatchObject({
    action_type: 'TerminalAction',
    observation_type: 'TerminalObservation',
    kind: 'TerminalTool',
    title: 'terminal',
  });
});

test('further members of an observation stand between is_error and kind', () => {
  const observation = native.wire.toObservation({ content: text('ok'), fields: { exit_code: 0 } }, {});
  expect(Object.keys(observation)).toEqual(['content', 'is_error', 'exit_code', 'kind']);
});

test('a factory is told from a tool', () => {
  expect(isToolFactory(plain)).toBe(false);
  expect(isToolFactory({ name: 'plain', params: {}, create: () => plain })).toBe(true);
});
