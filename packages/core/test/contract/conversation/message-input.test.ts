import { expect, test } from 'vitest';

import { checks, type MessageInput } from '../../../src/index.ts';

const text = { cache_prompt: false, type: 'text', text: 'hello' };

test.for<[string, MessageInput, object[]]>([
  ['a text', 'hello', [text]],
  ['a list of texts', ['hello'], [text]],
  ['a list of parts', [{ type: 'text', text: 'hello' }], [{ type: 'text', text: 'hello' }]],
  ['a part without its type', [{ text: 'hello' }], [{ text: 'hello' }]],
  ['a message with a text', { role: 'user', content: 'hello' }, [text]],
  [
    'a message with parts',
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    [{ type: 'text', text: 'hello' }],
  ],
  [
    'an image as the wire has it',
    [{ type: 'image', image_urls: ['https://example.org/a.png'] }],
    [{ type: 'image', image_urls: ['https://example.org/a.png'] }],
  ],
  [
    "an image as OpenAI's API has it",
    [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }],
    [{ cache_prompt: false, type: 'image', image_urls: ['https://example.org/a.png'] }],
  ],
])('a message may be %s', ([, message, parts]) => {
  expect(checks.messageParts(message)).toEqual(parts);
});

test('the compiler refuses another role and another part', () => {
  // @ts-expect-error the agent's messages are its own
  expect(() => checks.messageParts({ role: 'human', content: 'x' })).toThrow('role: expected "user"');
  // @ts-expect-error there is no such part
  expect(() => checks.messageParts([{ type: 'txt', text: 'x' }])).toThrow('sendMessage: content[0]: expected');
});
