import type { GoalVerdict } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { firstValue, parseLoosely } from '../calls/repair-json.ts';

/** Number of characters at the end of an answer that are searched for a verdict. */
const MAX_ANSWER = 50_000;
/** The most brackets, from the end, that may begin the verdict. */
const MAX_TRIES = 300;

/** Matches the beginning of a JSON object, but not of words in brackets. */
const MEMBER = /^\{\s*"/;

/**
 * Reads the verdict in an answer: the last JSON object that says whether the goal is complete, whatever text stands around it. An
 * object inside a verdict is part of it, such as the finding about one demand. Returns `undefined` if there is no verdict, or if a
 * possible verdict is cut off, because nothing is guessed from words.
 */
export function readVerdict(answer: string): GoalVerdict | undefined {
  const text = answer.slice(-MAX_ANSWER);
  let last: GoalVerdict | undefined;
  let end = 0;
  for (const { index } of [...text.matchAll(/\{/g)].slice(-MAX_TRIES)) {
    if (index < end) continue;
    const rest = text.slice(index);
    const object = firstValue(rest);
    if (object === undefined && MEMBER.test(rest)) return undefined;
    const verdict = object === undefined ? undefined : toVerdict(parseLoosely(object));
    if (object === undefined || verdict === undefined) continue;
    last = verdict;
    end = index + object.length;
  }
  return last;
}

function toVerdict(value: unknown): GoalVerdict | undefined {
  if (!isObject(value)) return undefined;
  const complete = toBoolean(value['complete']);
  if (complete === undefined) return undefined;
  const missing = toText(value['missing']);
  return { score: toScore(value['score'], complete), complete, ...(missing === '' ? {} : { missing }) };
}

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** Some models answer in percent. */
function toScore(value: unknown, complete: boolean): number {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return complete ? 1 : 0;
  return Math.min(1, Math.max(0, number > 1 ? number / 100 : number));
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  if (!Array.isArray(value)) return '';
  return value
    .filter((item) => typeof item === 'string' && item.trim() !== '')
    .map((item) => `- ${String(item).trim()}`)
    .join('\n');
}
