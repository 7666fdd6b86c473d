import { expect, test } from 'vitest';

import { conversationRoutes, readPart } from '../../src/rest/index.ts';

const { body } = conversationRoutes.start;
const right = { name: 'show', description: 'Shows it', parameters: { type: 'object' } };

function read(tool: unknown): unknown {
  const asked = { workspace: { working_dir: '/' }, client_tools: [{ ...right, name: 'first' }, tool] };
  const result = body && readPart(body, asked, 'body');
  return result?.ok === false ? result.error.detail : undefined;
}

test('a client tool without a name is refused with its place', () => {
  expect(read({ ...right, name: '' })).toMatchObject([{ loc: ['body', 'client_tools', 1, 'name'] }]);
});

test('parameters of a client tool that describe no object are refused with their place', () => {
  const place = { loc: ['body', 'client_tools', 1, 'parameters'] };
  expect(read({ ...right, parameters: { type: 'string' } })).toMatchObject([place]);
  expect(read({ ...right, parameters: {} })).toMatchObject([place]);
});

test('a client tool without parameters is taken, and its hints may be texts', () => {
  expect(read({ name: 'show', description: '', annotations: { readOnlyHint: 'true', title: null } })).toBeUndefined();
});

test('P13: a client tool with the name of another one, or of a built-in tool, is refused with its place', () => {
  for (const name of ['first', 'finish'])
    expect(read({ ...right, name })).toMatchObject([{ loc: ['body', 'client_tools', 1, 'name'] }]);
});

test.each([
  ['a name that no model can call', { name: 'a b' }, 'name', 'expected 1 to 64 letters, digits, "_" or "-"'],
  ['a parameter named kind', { parameters: { type: 'object', properties: { kind: {} } } }, 'parameters', '"kind"'],
])('P13: a client tool with %s is refused with its place', (_, wrong, member, msg) => {
  expect(read({ ...right, ...wrong })).toMatchObject([
    { loc: ['body', 'client_tools', 1, member], msg: expect.stringContaining(msg) },
  ]);
});

test('P13: client tools of more than 256 KiB are refused with their place, both sizes and the remedy', () => {
  expect(read({ ...right, description: 'x'.repeat(256 * 1024) })).toMatchObject([
    {
      loc: ['body', 'client_tools'],
      input: [],
      msg: expect.stringMatching(
        /at most 262144 bytes .* found 262\d{3}; shorten descriptions and parameters.*largest is "\w+" with 262\d{3}/,
      ),
    },
  ]);
});
