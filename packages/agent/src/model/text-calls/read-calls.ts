import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import { isText, type MessageToolCall, textContent } from '@conv/core/events';
import { malformedArguments } from '../../base/malformed-call.ts';
import type { ThoughtfulMessage } from '../prompt/reasoning-items.ts';
import { BEGIN, END_OF_CALL } from './call-tags.ts';
import { placeOfCall } from './place-of-call.ts';
import { textBefore } from './text-before.ts';

/**
 * Returns an answer in which written calls are calls, and nothing follows them. Calls have no ids yet. An answer without a written call, or with calls of
 * the provider's own form, stays as it is. A call that is cut off, or whose end cannot be known, has an error for its arguments.
 */
export function withReadCalls(
  message: ThoughtfulMessage,
  finish: LanguageModelV4FinishReason['unified'],
): ThoughtfulMessage {
  if (message.tool_calls !== undefined) return message;
  const at = message.content.findIndex((part) => isText(part) && placeOfCall(part.text) !== -1);
  const part = message.content[at];
  if (part === undefined || !isText(part)) return message;
  const begin = placeOfCall(part.text);
  const before = textBefore(part.text.slice(0, begin));
  return {
    ...message,
    content: [
      ...message.content.slice(0, at),
      ...(before.trim() === '' ? [] : [textContent(before)]),
      ...message.content.slice(at + 1),
    ],
    tool_calls: readCalls(part.text.slice(begin), finish === 'stop'),
  };
}

/**
 * Reads calls that follow each other. Other text ends the reading, because the model made it up. The first call can run; a later one may be a text that the
 * first one quotes, so it has an error. If the answer leaves open where a value ends, only the first call is returned, with an error.
 * `isWhole`: the model ended the answer itself.
 */
function readCalls(text: string, isWhole: boolean): MessageToolCall[] {
  const calls: MessageToolCall[] = [];
  let rest = text;
  while (rest.startsWith(BEGIN)) {
    const read = readCall(rest, isWhole);
    if (read === undefined) return [ambiguous(text)];
    calls.push(calls.length === 0 ? read.call : later(read.call.name));
    rest = read.after.replace(/^\s*(?:<\/tool_call>\s*)?(?:<tool_call>\s*)?/, '');
  }
  // in an answer that was cut off, the end of the first value may be missing
  const isCutBehind = !isWhole && (calls.length > 1 || rest !== '');
  return isCutBehind || rest.includes(END) || rest.includes(END_OF_CALL) ? [ambiguous(text)] : calls;
}

const HEAD = /^<function=([^>\n]*)>?/;
/** The head of a parameter; some models write `=` in the place of its end. */
const PARAMETER = /^\s*<parameter=([^>=\n]+)[>=]/;
const END = '</parameter>';
/** Matches the text behind a value: another parameter, the end of the call, or nothing, where the provider stopped the model. */
const FOLLOWS = /\s*(?:<parameter|<\/function|<\/tool_call>|<(?:\/|p[a-z]*)?$|$)/y;

interface Read {
  readonly call: MessageToolCall;
  readonly after: string;
}

/** Reads the call at the beginning of a text; `undefined` if the end of one of its values cannot be known. */
function readCall(text: string, isWhole: boolean): Read | undefined {
  const [head = '', name = ''] = HEAD.exec(text) ?? [];
  const values: [string, string][] = [];
  let rest = text.slice(head.length);
  for (let found = PARAMETER.exec(rest); found !== null; found = PARAMETER.exec(rest)) {
    const [begin, parameter = ''] = found;
    const value = rest.slice(begin.length);
    const end = endOf(value);
    if (end === -1) return isWhole && value.includes(END) ? undefined : cutOff(name, `within '${parameter.trim()}'`);
    const given = value.slice(0, end);
    if (hasOpenCall(given)) return undefined;
    values.push([parameter.trim(), withoutOuterBreaks(given)]);
    rest = value.slice(end + END.length);
  }
  if (beginsParameter(rest.trim())) return cutOff(name, 'at the name of a parameter');
  const close = /^\s*<\/function>?/.exec(rest)?.[0];
  if (close === undefined && !isWhole) return cutOff(name, `before its ${END_OF_CALL}`);
  return {
    call: made(name, JSON.stringify(Object.fromEntries(values))),
    after: rest.slice(close?.length ?? 0),
  };
}

/**
 * Returns the place of the end of a value; -1 if it has none that something of a call follows. A value may itself contain such ends, for example in a
 * document about calls: an end of a parameter within the value does not end the value.
 */
function endOf(value: string): number {
  let open = 0;
  for (const { 0: tag, index } of value.matchAll(/<parameter=|<\/parameter>/g)) {
    if (tag !== END) open += 1;
    else if (open > 0) open -= 1;
    else {
      FOLLOWS.lastIndex = index + END.length;
      if (FOLLOWS.test(value)) return index;
    }
  }
  return -1;
}

/** True if a call begins in a value and does not end there. */
function hasOpenCall(value: string): boolean {
  let open = 0;
  for (const { 0: tag } of value.matchAll(/<function=|<\/function>/g))
    open = tag === BEGIN ? open + 1 : Math.max(0, open - 1);
  return open > 0;
}

/** True for the beginning of a parameter that has no value. */
function beginsParameter(rest: string): boolean {
  return rest.startsWith('<parameter') || (rest.length > 1 && '<parameter'.startsWith(rest));
}

/** Returns a value without the breaks that put its lines between the tags. Its indentation stays. */
function withoutOuterBreaks(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

function cutOff(name: string, where: string): Read {
  const error = `The call of tool '${name.trim()}' was cut off ${where}, so it did not run. Write it in smaller parts.`;
  return { call: failed(name, error), after: '' };
}

/** Returns the first call of a text in which no end can be trusted. */
function ambiguous(text: string): MessageToolCall {
  const name = HEAD.exec(text)?.[1] ?? '';
  return failed(
    name,
    `It cannot be told where the values of the call of tool '${name.trim()}' end, because tags of calls stand in them, or text behind the call. So nothing ran. Make one call, write nothing behind it, and write a text that holds '<function=', '<parameter=', '${END}' or '${END_OF_CALL}' in parts that break these tags up.`,
  );
}

function later(name: string): MessageToolCall {
  const error = `The call of tool '${name}' did not run, because only the first call of an answer runs. Make it again if you meant it.`;
  return failed(name, error);
}

function failed(name: string, error: string): MessageToolCall {
  return made(name, JSON.stringify(malformedArguments(error)));
}

function made(name: string, text: string): MessageToolCall {
  return { id: '', name: name.trim(), arguments: text, origin: 'completion' };
}
