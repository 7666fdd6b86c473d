import { isText, type MessageToolCall, textContent } from '@conv/core/events';
import type { ThoughtfulMessage } from '../prompt/reasoning-items.ts';
import { BEGIN, textBefore } from './text-before.ts';

/**
 * Returns an answer in which written calls are calls, and nothing follows them. Calls have no ids yet. An answer without a written call, or with calls of
 * the provider's own form, stays as it is.
 */
export function withReadCalls(message: ThoughtfulMessage): ThoughtfulMessage {
  if (message.tool_calls !== undefined) return message;
  const at = message.content.findIndex((part) => isText(part) && part.text.includes(BEGIN));
  const part = message.content[at];
  if (part === undefined || !isText(part)) return message;
  const begin = part.text.indexOf(BEGIN);
  const before = textBefore(part.text.slice(0, begin));
  return {
    ...message,
    content: [
      ...message.content.slice(0, at),
      ...(before.trim() === '' ? [] : [textContent(before)]),
      ...message.content.slice(at + 1),
    ],
    tool_calls: readCalls(part.text.slice(begin)),
  };
}

/** Reads calls that follow each other. Whatever stands between or behind them ends the reading, because the model made it up. */
function readCalls(text: string): MessageToolCall[] {
  const calls: MessageToolCall[] = [];
  let rest = text;
  while (rest.startsWith(BEGIN)) {
    const { call, after } = readCall(rest);
    calls.push(call);
    rest = after.replace(/^\s*(?:<\/tool_call>\s*)?(?:<tool_call>\s*)?/, '');
  }
  return calls;
}

const HEAD = /^<function=([^>\n]*)>?/;
/** The head of a parameter; some models write `=` in the place of its end. */
const PARAMETER = /^\s*<parameter=([^>=\n]+)[>=]/;
const END = '</parameter>';
/** Matches the text behind a value: another parameter, the end of the call, or nothing, where the provider stopped the model. */
const FOLLOWS = /^\s*(?:<parameter=|<\/function|<\/?$|$)/;

interface Read {
  readonly call: MessageToolCall;
  readonly after: string;
}

function readCall(text: string): Read {
  const [head = '', name = ''] = HEAD.exec(text) ?? [];
  const values: [string, string][] = [];
  let rest = text.slice(head.length);
  for (let found = PARAMETER.exec(rest); found !== null; found = PARAMETER.exec(rest)) {
    const [begin, parameter = ''] = found;
    const value = rest.slice(begin.length);
    const end = endOf(value);
    // a value that was cut off must not reach a tool; such arguments are no JSON, and the model is told so
    if (end === -1) return { call: made(name, JSON.stringify(Object.fromEntries(values)).slice(0, -1)), after: '' };
    values.push([parameter.trim(), withoutOuterBreaks(value.slice(0, end))]);
    rest = value.slice(end + END.length);
  }
  const close = /^\s*<\/function>?/.exec(rest)?.[0] ?? '';
  return { call: made(name, JSON.stringify(Object.fromEntries(values))), after: rest.slice(close.length) };
}

/** Returns the place of the end of a value; -1 if it has none. A value may itself contain such an end, for example in a document about calls. */
function endOf(value: string): number {
  let end = value.indexOf(END);
  const first = end;
  while (end !== -1 && !FOLLOWS.test(value.slice(end + END.length, end + END.length + 200)))
    end = value.indexOf(END, end + 1);
  return end === -1 ? first : end;
}

/** Returns a value without the breaks that put its lines between the tags. Its indentation stays. */
function withoutOuterBreaks(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

function made(name: string, text: string): MessageToolCall {
  return { id: '', name: name.trim(), arguments: text, origin: 'completion' };
}
