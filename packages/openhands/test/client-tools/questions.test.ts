import type { JsonObject } from '@conv/core';
import { text } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { questions } from '../../src/client-tools/index.ts';

const FIELDS: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Of the thing.', minLength: 1, format: 'email' },
    size: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
    tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, default: ['a'] },
    sure: { type: 'boolean', default: false },
  },
  required: ['name'],
};

function answer(said: string, fields: JsonObject = FIELDS): unknown {
  const { content } = questions.answerTo({ question: 'Which?', freeText: true, fields }, { content: text(said) });
  const [part] = content;
  return JSON.parse(part && 'text' in part ? part.text : '');
}

test('an answer has the defaults of the fields that it leaves out', () => {
  const content = { size: 3, tags: ['a'], sure: false, name: 'Ann' };
  expect(answer('{"name":"Ann"}')).toEqual({ action: 'accept', content });
  expect(answer('{"action":"accept","content":{"name":"Ann","size":5,"tags":[]}}')).toEqual({
    action: 'accept',
    content: { ...content, size: 5, tags: [] },
  });
  expect(answer('decline')).toEqual({ action: 'decline' });
});

test('an answer whose default is wrong is refused by the name of the field, and takes another value', () => {
  const fields = { type: 'object', properties: { size: { type: 'integer', default: 'large' } } };
  expect(() => answer('{}', fields)).toThrow(/answer: size: /);
  expect(answer('{"size":2}', fields)).toEqual({ action: 'accept', content: { size: 2 } });
});

test('a form with a field named action takes it inside of an answer with an action', () => {
  const fields = { type: 'object', properties: { action: { type: 'string' } } };
  expect(answer('{"action":"accept","content":{"action":"decline"}}', fields)).toEqual({
    action: 'accept',
    content: { action: 'decline' },
  });
});

test('fields of a question have their labels, choices, limits and defaults', () => {
  expect(questions.fieldsOf(FIELDS)).toEqual([
    {
      name: 'name',
      type: 'text',
      isRequired: true,
      label: 'Name',
      description: 'Of the thing.',
      choices: [],
      limits: { minLength: 1 },
      format: 'email',
    },
    {
      name: 'size',
      type: 'integer',
      isRequired: false,
      label: 'size',
      choices: [],
      limits: { minimum: 1, maximum: 5 },
      default: 3,
    },
    {
      name: 'tags',
      type: 'choices',
      isRequired: false,
      label: 'tags',
      choices: [
        ['a', 'First'],
        ['b', 'b'],
      ],
      limits: {},
      default: ['a'],
    },
    { name: 'sure', type: 'boolean', isRequired: false, label: 'sure', choices: [], limits: {}, default: false },
  ]);
  expect(questions.fieldsOf({ properties: 7, required: 'name' })).toEqual([]);
});

test.each(['no JSON', '[]', '{"choices":7,"fields":"none"}'])('a question in the arguments %s is empty', (json) => {
  const tool_call = { id: 'one', name: 'ask_user', arguments: json, origin: 'completion' } as const;
  expect(questions.read({ tool_call })).toEqual({ question: '', freeText: true });
});
