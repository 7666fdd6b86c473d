import { BEGIN, THOUGHT_END } from './call-tags.ts';

/** Tags that some models put in front of a call. */
const WRAPPERS = [THOUGHT_END, '<tool_call>'];

/** Returns the text before a call, without the white space and the tags that lead to it. */
export function textBefore(text: string): string {
  let before = text.trimEnd();
  for (let tag = wrapperAt(before); tag !== undefined; tag = wrapperAt(before))
    before = before.slice(0, -tag.length).trimEnd();
  return before;
}

function wrapperAt(text: string): string | undefined {
  return WRAPPERS.find((tag) => text.endsWith(tag));
}

/** The most characters that are held back; more white space than this is text. */
const MOST_HELD = 200;

/** Returns how many characters of a text can be shown while more of it may come: all but what may lead to a call. */
export function shownLength(text: string): number {
  const open = text.lastIndexOf('<');
  const tail = open === -1 ? '' : text.slice(open);
  const mayBegin = tail !== '' && [BEGIN, ...WRAPPERS].some((tag) => tag.startsWith(tail));
  const before = textBefore(mayBegin ? text.slice(0, open) : text);
  return Math.max(before.length, text.length - MOST_HELD);
}
