import type { GoalVerdict } from '@conv/core/events';
import { parseLoosely } from '../calls/repair-json.ts';
import { isObject } from '../json.ts';

/** Characters at the end of an answer in which a verdict is looked for. */
const MAX_ANSWER = 50_000;
/** Objects that are tried, from the end. */
const MAX_TRIES = 100;

/**
 * The verdict in an answer: the last JSON object that says whether the goal is complete, whatever stands around it. `undefined`
 * when there is none: nothing is guessed from words.
 */
export function readVerdict(answer: string): GoalVerdict | undefined {
  const text = answer.slice(-MAX_ANSWER);
  let at = text.length;
  for (let tries = 0; tries < MAX_TRIES && at > 0; tries += 1) {
    at = text.lastIndexOf('{', at - 1);
    if (at === -1) return undefined;
    const verdict = toVerdict(parseLoosely(text.slice(at)));
    if (verdict !== undefined) return verdict;
  }
  return undefined;
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
