import { type EventDraftOfKind, isText } from '@conv/core/events';
import { isObject, omit, parseJson } from '../json.ts';
import { hiddenText, plainText } from './plain-text.ts';

type Action = EventDraftOfKind<'ActionEvent'>;

/** Characters of a corpus that are looked at. */
const CAP = 30_000;
/** Nothing that a tool takes is nested this deep. */
const MAX_DEPTH = 100;
/** Members that are longer are no words of one command line. */
const MAX_WORD = 2_000;

/** What rules look at, in plain text. */
export interface Corpus {
  readonly texts: readonly string[];
  /** There was more than is looked at: the middle was left out. */
  readonly isCut: boolean;
}

/** What runs: each text in the arguments, then the names. What is called for is not executed by being thought. */
export function executableCorpus(action: Action): Corpus {
  const given = action.action ?? parseJson(action.tool_call.arguments) ?? action.tool_call.arguments;
  const found: Found = { texts: [], names: [], isCut: false };
  collect(isObject(given) ? omit(given, 'kind') : given, found, 0);
  return capped([...found.texts, ...found.names, action.tool_name, action.tool_call.name], found.isCut);
}

/** What is said about it: summary, thoughts and reasoning. */
export function textCorpus(action: Action): Corpus {
  const blocks = (action.thinking_blocks ?? []).map((block) => ('thinking' in block ? block.thinking : ''));
  const said = [
    action.summary,
    ...action.thought.filter(isText).map((part) => part.text),
    action.reasoning_content,
    ...(action.responses_reasoning_item?.summary ?? []),
    ...blocks,
  ];
  return capped(
    said.filter((text) => typeof text === 'string'),
    false,
  );
}

interface Found {
  readonly texts: string[];
  readonly names: string[];
  isCut: boolean;
}

function collect(value: unknown, found: Found, depth: number): void {
  if (typeof value === 'string') found.texts.push(value);
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    found.isCut = true;
    return;
  }
  const members = Object.values(value) as unknown[];
  // A program and its arguments may stand apart: `{ program: 'rm', args: ['-rf', '/'] }`.
  const words = members.flat().filter((member) => typeof member === 'string' && member.length <= MAX_WORD);
  if (words.length > 1) found.texts.push(words.join(' '));
  if (!Array.isArray(value) && depth > 0) found.names.push(...Object.keys(value));
  for (const member of members) collect(member, found, depth + 1);
}

/**
 * The texts, or of more than the cap the first and the last half of it: padding in front or behind hides nothing, and what
 * is not seen in the middle is known not to have been seen.
 */
function capped(texts: readonly string[], isCut: boolean): Corpus {
  const plain = texts.flatMap((text) => [plainText(text), hiddenText(text)]).filter((text) => text.trim() !== '');
  const length = plain.reduce((sum, text) => sum + text.length, 0);
  if (length <= CAP) return { texts: plain, isCut };
  const head = upTo(plain, (text, left) => text.slice(0, left));
  const tail = upTo(plain.toReversed(), (text, left) => text.slice(-left));
  return { texts: [...head, ...tail.toReversed()], isCut: true };
}

function upTo(texts: readonly string[], take: (text: string, left: number) => string): string[] {
  const taken: string[] = [];
  let left = CAP / 2;
  for (const text of texts) {
    if (left <= 0) break;
    taken.push(take(text, left));
    left -= text.length;
  }
  return taken;
}
