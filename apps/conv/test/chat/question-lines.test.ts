import type { PendingAction } from '@conv/core';
import { expect, test } from 'vitest';

import { questionLines } from '../../src/chat/session/user-question.ts';

function asked(input: object): PendingAction {
  return { tool_call: { arguments: JSON.stringify(input) } } as unknown as PendingAction;
}

test('a question with fields shows the choices, limits and defaults that its answer has', () => {
  const fields = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', maxLength: 20 },
      size: { type: 'integer', minimum: 1, default: 3 },
      colour: { type: 'string', enum: ['r', 'b'], enumNames: ['red', 'blue'] },
      tags: { type: 'array', items: { type: 'string', enum: ['a'] }, default: ['a'] },
    },
    required: ['name'],
  };
  expect(questionLines(asked({ question: 'What?', fields, from: 'shop' }))).toEqual([
    '? The MCP server shop asks: What?',
    '  name: text, Name, maxLength 20, required',
    '  size: integer, minimum 1, 3 if you leave it out',
    '  colour: one of these',
    '    - r (red)',
    '    - b (blue)',
    '  tags: any of these, ["a"] if you leave it out',
    '    - a',
    '  answer with the fields as JSON, or with decline or cancel',
  ]);
});

test('a question with choices shows them, and says if another answer is taken', () => {
  const input = { question: 'Which?', choices: ['red', 'blue'] };
  expect(questionLines(asked(input)).slice(1)).toEqual(['  - red', '  - blue', '  or write another answer']);
  expect(questionLines(asked({ ...input, free_text: false })).slice(1)).toEqual(['  - red', '  - blue']);
});
