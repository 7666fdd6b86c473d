import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isText } from '@conv/core/events';
import { createModelServer, say } from '@conv/testing-model-server';
import { createAgent, openaiCompatible } from '../../../src/index.ts';
import type { Delta } from '../../../src/model/completion/read-stream.ts';
import { ShownPieces } from '../../../src/model/completion/shown-pieces.ts';
import { placeOfCall } from '../../../src/model/text-calls/place-of-call.ts';
import { withReadCalls } from '../../../src/model/text-calls/read-calls.ts';
import { startBench } from '../../support/bench.ts';
import { fileEditor } from '../../support/tools.ts';

type Finish = Parameters<typeof withReadCalls>[1];

/** The calls in an answer with this text, each with its arguments or its error, and the text that is left. */
function read(text: string, finish: Finish = 'stop') {
  const message = withReadCalls({ role: 'assistant', content: [{ type: 'text', text }], thinking_blocks: [] }, finish);
  const calls = (message.tool_calls ?? []).map(({ name, arguments: given }) => {
    const args = JSON.parse(given) as Record<string, unknown>;
    const isFailed = args['_openhands_malformed_tool_call'] === true;
    return isFailed ? { name, error: String(args['error']) } : { name, args };
  });
  return { calls, left: message.content.filter(isText).map((part) => part.text) };
}

const runnable = (text: string, finish?: Finish) => read(text, finish).calls.filter(({ error }) => error === undefined);

const written = (name: string, values: Record<string, string>): string =>
  [
    `<function=${name}>`,
    ...Object.entries(values).map(([parameter, value]) => `<parameter=${parameter}>\n${value}\n</parameter>`),
    '</function>',
  ].join('\n');

const edit = written('file_editor', { command: 'str_replace', path: '/a', old_str: 'old', new_str: 'new' });
const evil = written('terminal', { command: 'evil' });

describe('an answer that the provider cut off', () => {
  test.each(['length', 'content-filter', 'error', 'other'] as const)(
    'an answer that was cut off has no call to run at any place: %s',
    (finish) => {
      const end = edit.indexOf('</function') + '</function'.length;
      for (let length = 0; length < end; length += 1) expect(runnable(edit.slice(0, length), finish)).toEqual([]);
      expect(runnable(edit, finish)).toHaveLength(1);
    },
  );

  test('an answer that was cut off has no call to run behind a value that quotes calls', () => {
    const whole = written('file_editor', {
      command: 'create',
      file_text: `x\n</parameter>\n</function>\n${evil}\n${evil}\ny`,
    });
    const first = whole.indexOf('</function>') + '</function>'.length;
    for (let length = first + 2; length < whole.length; length += 1)
      expect(runnable(whole.slice(0, length), 'length')).toEqual([]);
  });

  test('an answer that ends at the beginning of a parameter has no call to run, even if the model stopped', () => {
    for (const cut of ['<p', '<parameter', '<parameter=', '<parameter=new_s'])
      expect(read(`${edit.slice(0, edit.indexOf('<parameter=new_str'))}${cut}`).calls).toEqual([
        { name: 'file_editor', error: expect.stringContaining('cut off at the name of a parameter') as string },
      ]);
  });

  test.each([
    [
      'within a value',
      'new\n</parameter>',
      "was cut off within 'new_str', so it did not run. Write it in smaller parts.",
    ],
    ['between two values', '<parameter=new_str>', 'was cut off before its </function>'],
  ])('the cut is explained to the model, and the edit does not run: %s', async (_, from, error) => {
    const [cut = ''] = edit.split(from);
    await using server = await createModelServer({
      script: ({ index }) => (index === 0 ? say(cut, { finishReason: 'length' }) : say('Sorry.')),
    });
    const model = openaiCompatible('m', { baseUrl: server.url, textCalls: true });
    await using bench = await startBench(createAgent({ model, tools: [fileEditor] }));
    bench.say('Edit.');
    await bench.run();
    const told = bench.ofKind('AgentErrorEvent').map((event) => event.error);
    expect(told).toEqual([expect.stringContaining(error) as string]);
    expect(bench.ofKind('ObservationEvent')).toEqual([]);
  });
});

describe('text that quotes a call', () => {
  test.each([
    ['within a line', 'Never write <function=terminal>\n<parameter=command>evil</parameter>\n</function>'],
    ['in backticks', '`<function=terminal>`\n<parameter=command>evil</parameter>'],
    ['with a wrapper within a line', 'So: <tool_call><function=terminal>\n<parameter=command>evil</parameter>'],
    ['as a quotation', `> ${evil.replaceAll('\n', '\n> ')}`],
    ['in a block of code', `Like this:\n\n\`\`\`xml\n${evil}\n\`\`\`\nSo it is.`],
    ['in a block of code that holds a shorter one', `\`\`\`\`\n\`\`\`\n\`\`\`\n${evil}\n\`\`\`\``],
    ['in a block of code that was cut off', `~~~\n${evil}`],
    ['as indented code', `So:\n\n    ${evil.replaceAll('\n', '\n    ')}`],
  ])('a quoted call is text %s', (_, text) => {
    expect(read(text)).toEqual({ calls: [], left: [text] });
    expect(shown([text])).toEqual({ text, call: '' });
  });

  test('a quoted call may stand before a call', () => {
    const text = `Not \`<function=a>\`, and not\n\`\`\`\n<function=b>\n\`\`\`\nbut:\n${evil}`;
    expect(read(text).calls).toEqual([{ name: 'terminal', args: { command: 'evil' } }]);
  });
});

describe('a value that quotes calls', () => {
  test('a value that quotes whole calls is whole', () => {
    const value = `Call like this:\n${edit}\nor this:\n${evil}\nThat is all.`;
    expect(read(written('save', { text: value, path: '/a' })).calls).toEqual([
      { name: 'save', args: { text: value, path: '/a' } },
    ]);
  });

  test.each([
    ['ends one', 'x\n</parameter>\n</function>\ny'],
    ['ends one and makes another', `x\n</parameter>\n</function>\n${evil}\ny`],
    ['ends one and makes another at its end', `x\n</parameter>\n</function>\n${evil}`],
    ['begins one', 'Write <function=name> first.'],
    ['ends one and begins another', 'Write </function> behind <function=name> or </function><function=x>.'],
    ['begins a parameter', 'Write <parameter=name> next.'],
  ])('a value makes its call an error, and none runs, if it %s', (_, value) => {
    expect(read(written('save', { text: value })).calls).toEqual([
      { name: 'save', error: expect.stringMatching(/cannot be told where.*in parts/) as string },
    ]);
  });

  test('a value runs nothing of its own, even if it makes all tags balance', () => {
    const { calls } = read(
      written('save', { text: 'x\n</parameter>\n</function>\n<function=terminal>\n<parameter=command>\nevil' }),
    );
    expect(calls.slice(1)).toEqual([
      { name: 'terminal', error: expect.stringContaining('only the first call of an answer runs') as string },
    ]);
  });

  test.each([
    ['holds a whole parameter', `Like this:\n${evil}\nThat is all.`],
    ['holds the end of a parameter within a line', 'return "</parameter>"; // and </function>'],
  ])('a value is not cut where the provider stops the model at its </function>, if it %s', (_, value) => {
    const whole = written('save', { text: value });
    expect(runnable(whole.slice(0, whole.indexOf('</function>')))).toEqual([]);
  });
});

describe('the thinking of a model', () => {
  test.each([
    ['with both tags', `<think>\nI could run\n${evil}\n</think>\nNo.`],
    ['with its end alone', `I could run\n${evil}\n</think>\nNo.`],
    ['with its beginning alone', `<think>\nI could run\n${evil}`],
    ['with a call that was cut off', '<think>\n<function=terminal>\n<parameter=command>evil\n</think>\nNo.'],
    ['for a second time', `<think>a</think>\n<think>\n${evil}`],
  ])('the thinking of a model runs nothing: %s', (_, text) => {
    expect(read(text)).toEqual({ calls: [], left: [text] });
    expect(shown([text])).toEqual({ text, call: '' });
    expect(shown(text.split(''))).toEqual({ text, call: '' });
  });

  test('the thinking of a model may consider a call before the call that runs', () => {
    const { calls, left } = read(`I could run\n${evil}\n</think>\n\n${edit}`);
    expect(calls).toMatchObject([{ name: 'file_editor', args: { new_str: 'new' } }]);
    expect(left).toEqual([`I could run\n${evil}`]);
  });

  test('the thinking of a model does not end in a value', () => {
    const value = 'if (text.includes("</think>"))\n</think>';
    expect(read(written('save', { text: value })).calls).toEqual([{ name: 'save', args: { text: value } }]);
  });
});

/** The pieces that are shown of a text that is streamed in these parts. A text behind a call means that it was none. */
function shown(parts: readonly string[]): { readonly text: string; readonly call: string } {
  const pieces = new ShownPieces();
  const all: Delta[] = [...parts.flatMap((text) => pieces.add({ kind: 'text', text })), ...pieces.end()];
  const textsOf = (some: readonly Delta[], kind: Delta['kind']): string =>
    some.flatMap((each) => (each.kind === kind ? [each.text] : [])).join('');
  const last = all.findLastIndex(({ kind }) => kind === 'text');
  return { text: textsOf(all, 'text'), call: textsOf(all.slice(last + 1), 'tool_call') };
}

test('pieces of a streamed answer show the text that the answer has, however it was split', () => {
  const token = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '<',
    '<f',
    '<think>',
    '</think>',
    '<tool_call>',
    '<function=',
    'look>',
    '</',
    '```\n',
    '\n```',
    '`',
    '<parameter=a>',
    '</parameter>',
    '</function>',
    '\n<function=look>\n',
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), fc.array(fc.nat(6), { maxLength: 12 }), (tokens, cuts) => {
      const whole = tokens.join('');
      const parts: string[] = [];
      let rest = whole;
      for (const cut of cuts) {
        parts.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      const pieces = shown([...parts, rest]);
      const { left, calls } = read(whole);
      const text = left.join('');
      expect(pieces.text.trim() === '' ? '' : pieces.text).toBe(text.trim() === '' ? '' : text);
      expect(pieces.call).toBe(calls.length === 0 ? '' : whole.slice(placeOfCall(whole)));
    }),
    { numRuns: 400 },
  );
});

test('the text before a call is shown as it comes', () => {
  const pieces = new ShownPieces();
  expect(pieces.add({ kind: 'text', text: 'I look ' })).toEqual([{ kind: 'text', text: 'I look' }]);
  expect(pieces.add({ kind: 'text', text: 'at a < b' })).toEqual([{ kind: 'text', text: ' at a < b' }]);
  expect(pieces.add({ kind: 'text', text: '.\n<func' })).toEqual([{ kind: 'text', text: '.' }]);
  expect(pieces.add({ kind: 'text', text: 'tion=look>' })).toEqual([{ kind: 'tool_call', text: '<function=look>' }]);
});
