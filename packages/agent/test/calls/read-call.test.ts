import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, MessageToolCall } from '@conv/core/events';
import { readCall } from '../../src/calls/read-call.ts';
import { offerTool } from '../../src/tools/offered-tool.ts';
import { add, fileEditor, look, terminal } from '../support/tools.ts';

const tools = new Map([add, look, terminal, fileEditor].map((tool) => [tool.name, offerTool(tool)]));

function callOf(name: string, args: string | JsonObject): MessageToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { id: 'call_1', name, arguments: text, origin: 'completion' };
}

function read(name: string, args: string | JsonObject, hasAnalyzer = false): ReturnType<typeof readCall> {
  return readCall(callOf(name, args), { tools, hasAnalyzer, mask: (text) => text });
}

describe('arguments', () => {
  test.each([
    ['raw control characters in a string', '{"what": "line one\nline\ttwo"}', { what: 'line one\nline\ttwo' }],
    ['garbage behind the object', '{"what": "x"}</parameter></invoke>', { what: 'x' }],
    ['an object written as JSON text', '"{\\"what\\": \\"x\\"}"', { what: 'x' }],
    ['a text cut into a list', '{"what": ["one ", "two"]}', { what: 'one two' }],
    ['half of a character', '{"what": "a\\ud800b"}', { what: 'a\ufffdb' }],
  ])('%s is repaired', (_, text, expected) => {
    expect(read('look', text)).toMatchObject({ action: { data: expected, kind: 'MCPToolAction' } });
  });

  test.each([
    ['a list written as JSON text', { numbers: '[1, 2]' }],
    ['the same with garbage behind it', { numbers: '[1, 2]</numbers>' }],
    ['nulls for what is not given', { numbers: [1, 2], note: null }],
  ])('%s is brought into the shape of the schema', (_, args) => {
    expect(read('add', args)).toMatchObject({ action: { data: { numbers: [1, 2] } } });
  });

  test('numbers and truth values in quotes are taken for what they are', () => {
    const call = read('terminal', { command: 'ls', reset: 'True' });
    expect(call).toMatchObject({ action: { data: { command: 'ls', reset: true } } });
    expect(read('file_editor', { command: 'insert', path: 'a', insert_line: '3' })).toMatchObject({
      action: { data: { insert_line: 3 } },
    });
  });

  test("the stored text is the repaired one in the reference's style, with risk and summary as sent", () => {
    const call = read('look', '{"what":"ü","security_risk":"LOW","summary":"  look  ","gone":null}');
    expect(call.toolCall.arguments).toBe('{"what": "\\u00fc", "security_risk": "LOW", "summary": "  look  "}');
    expect(call).toMatchObject({ summary: 'look', action: { data: { what: 'ü' } } });
  });

  test('arguments without a summary get the call itself as their summary', () => {
    expect(read('look', { what: 'x', security_risk: 'LOW' })).toMatchObject({ summary: 'look: {"what": "x"}' });
    expect(read('look', { what: 'x'.repeat(5000), summary: ' ' })).toMatchObject({
      summary: expect.stringMatching(/^.{500}$/),
    });
  });

  test('arguments that are no JSON are replaced by a marker, and the model is told', () => {
    const call = read('look', '{"what": "unfinished');
    expect(call).toMatchObject({ error: expect.stringContaining("'look'") });
    expect(JSON.parse(call.toolCall.arguments)).toMatchObject({
      _openhands_malformed_tool_call: true,
      error: expect.any(String),
    });
  });

  test('a wrong call is kept as the model sent it, and the error names parameters but no values', () => {
    const text = '{"what":{"deep":"SECRET"},"more":"SECRET"}';
    const call = read('look', text);
    expect(call.toolCall).toMatchObject({ name: 'look', arguments: text });
    expect(call).toMatchObject({ error: expect.stringMatching(/what.*more/s) });
    expect('error' in call && call.error).not.toContain('SECRET');
  });
});

describe('names', () => {
  test.each([
    ['bash', { command: 'ls' }, 'ls'],
    ['execute_bash', { command: 'ls' }, 'ls'],
    ['git', { command: 'status' }, 'git status'],
    ['git', { command: 'git status' }, 'git status'],
    ['pwd', {}, 'pwd'],
    ['reset', {}, 'reset'],
    ['git', { command: '' }, 'git'],
    ['grep', { pattern: "it's", path: 'src' }, "grep -rnI -e 'it'\\''s' -- 'src'"],
    ['terminal<|channel|>json', { command: 'ls' }, 'ls'],
  ])('%s %j means the terminal', (name, args, command) => {
    expect(read(name, args)).toMatchObject({ toolCall: { name: 'terminal' }, action: { data: { command } } });
  });

  test.each([
    [{ path: 'a', old_str: 'x', new_str: 'y' }, 'str_replace'],
    [{ path: 'a', insert_line: 1, new_str: 'y' }, 'insert'],
    [{ path: 'a', file_text: 'x' }, 'create'],
    [{ path: 'a' }, 'view'],
  ])('a missing command of the file editor follows from %j', (args, command) => {
    for (const name of ['file_editor', 'str_replace_editor']) {
      expect(read(name, args)).toMatchObject({ toolCall: { name: 'file_editor' }, action: { data: { command } } });
    }
  });

  test.each(['security_rort', 'securtiy_risk', 'security_riks', 'securityRisk', 'security risk'])(
    '%s is taken for security_risk',
    (misspelt) => {
      expect(read('terminal', { command: 'ls', [misspelt]: 'HIGH' }, true)).toMatchObject({ risk: 'HIGH' });
    },
  );

  test.each(['ls; echo x', 'git status', 'pwd && rm a', 'bash -c ls'])(
    '%s is no tool, and no part of it runs',
    (name) => {
      const call = read(name, {});
      expect(call.toolCall.name).toBe(name);
      expect('error' in call && call.error).toContain(name);
    },
  );

  test('an alias without what its tool needs is told what that is', () => {
    expect(read('execute', {})).toMatchObject({ error: expect.stringContaining('command') });
  });

  test('a registered name means that tool, and an alias without its tool leads nowhere', () => {
    const bash = offerTool({ ...look, name: 'bash' });
    const rules = { tools: new Map([['bash', bash]]), hasAnalyzer: false, mask: (text: string) => text };
    expect(readCall(callOf('bash', { what: 'x' }), rules)).toMatchObject({
      toolCall: { name: 'bash' },
      risk: 'UNKNOWN',
    });
    expect(readCall(callOf('execute', { command: 'x' }), rules)).toMatchObject({
      toolCall: { name: 'execute' },
      error: expect.any(String),
    });
    expect(read('grep', { path: 'src' })).toMatchObject({ error: expect.stringContaining("'grep' not found") });
  });
});

const anyArguments = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.tuple(fc.json(), fc.string()).map(([json, tail]) => json + tail),
  fc.jsonValue().map((value) => JSON.stringify({ command: value, path: value, what: value, numbers: value })),
  fc.constantFrom('[', '{"a":', '['.repeat(50_000), '{"a":'.repeat(50_000), '"', '\\', '{"__proto__": {"what": 1}}'),
);

test('reading a call never throws, whatever a model sends, and stores JSON of an allowed shape', () => {
  const names = fc.oneof(fc.constantFrom(...tools.keys(), 'bash', 'grep', 'str_replace'), fc.string());
  fc.assert(
    fc.property(names, anyArguments, fc.boolean(), (name, text, hasAnalyzer) => {
      const call = read(name, text, hasAnalyzer);
      expect(() => JSON.parse(call.toolCall.arguments)).not.toThrow();
      expect('action' in call ? tools.has(call.toolCall.name) : call.toolCall.name === name).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('reading what was stored gives the same call again', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (what, summary) => {
      const first = read('look', { what, summary });
      const again = readCall(first.toolCall, { tools, hasAnalyzer: false, mask: (text: string) => text });
      expect(again).toEqual(first);
    }),
  );
});
