import { BEGIN, THOUGHT_END } from './call-tags.ts';

const THOUGHT = '<think>';

/**
 * Returns the place where the first written call of a text begins; -1 if it has none. A call begins a line, outside a block of code, and behind the
 * thinking of the model; anywhere else it is quoted or considered. More text changes the place only if it has a {@link THOUGHT_END}.
 */
export function placeOfCall(text: string): number {
  if (!text.includes(BEGIN)) return -1;
  let from = 0;
  for (;;) {
    const thought = text.indexOf(THOUGHT_END, from);
    const found = firstBegin(text.slice(from, thought === -1 ? undefined : thought));
    const at = found === -1 ? -1 : from + found;
    const end = at === -1 ? thought : endOfThought(text, at);
    if (end === -1) return at;
    from = end + THOUGHT_END.length;
  }
}

const LINE = /^ {0,3}(?:<tool_call>[ \t]*)?<function=/;
const FENCE = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/;

/** Returns where a call begins in a text without an end of thinking; -1 if it does not. */
function firstBegin(text: string): number {
  let at = 0;
  let fence = '';
  for (const line of text.split('\n')) {
    if (fence === '') {
      if (line.trimStart().startsWith(THOUGHT)) return -1;
      const begin = LINE.exec(line)?.[0];
      if (begin !== undefined) return at + begin.length - BEGIN.length;
      const [, ticks, tildes] = FENCE.exec(line) ?? [];
      fence = ticks ?? tildes ?? '';
    } else if (closes(fence, line.trim())) fence = '';
    at += line.length + 1;
  }
  return -1;
}

function closes(fence: string, line: string): boolean {
  return line.startsWith(fence) && line.replaceAll(fence.charAt(0), '') === '';
}

const TAGS = /<parameter=|<\/parameter>|<\/think>/g;

/** Returns the place of the first end of thinking behind a call; one in a value of the call is part of that value. */
function endOfThought(text: string, call: number): number {
  if (!text.includes(THOUGHT_END, call)) return -1;
  let open = 0;
  for (const { 0: tag, index } of text.slice(call).matchAll(TAGS)) {
    if (tag === '<parameter=') open += 1;
    else if (tag === '</parameter>') open = Math.max(0, open - 1);
    else if (open === 0) return call + index;
  }
  return -1;
}
