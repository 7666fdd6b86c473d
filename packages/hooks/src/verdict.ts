/** The answer of a hook in words. */
export interface Verdict {
  readonly denied: boolean;
  readonly reason?: string | undefined;
  readonly context?: string | undefined;
  /** The problem of an answer that cannot be used. */
  readonly problem?: string | undefined;
}

const ALLOWING: readonly unknown[] = ['allow', 'approve'];
const DENYING: readonly unknown[] = ['deny', 'block'];

/** Reads the answer of a function, or the JSON object of a command. */
export function readVerdict(answer: Readonly<Record<string, unknown>>): Verdict {
  const { decision, reason, additionalContext: context } = answer;
  const word = typeof decision === 'string' ? decision.trim().toLowerCase() : decision;
  const stops = answer['continue'] !== undefined && !answer['continue'];
  const denied = stops || DENYING.includes(word);
  return { denied, reason: textOf(reason), context: textOf(context), problem: problemWith(word, answer) };
}

/**
 * Reads the output of a command. Output that is not a JSON object is ignored, unless it looks like a failed attempt at one.
 * Output longer than the limit is a problem, because its rest is unknown.
 */
export function readPrinted(stdout: string, complete: boolean): Verdict {
  if (!complete) return { denied: false, problem: `it printed more than ${stdout.length} characters` };
  const text = stdout.replace(/^\uFEFF/, '').trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const meant = text.startsWith('{') || /["'](?:decision|continue)["']\s*:/.test(text) || NO.test(text);
    return {
      denied: false,
      ...(meant && { problem: 'what it printed looks like a decision and is not a JSON object' }),
    };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject) return readVerdict(value as Readonly<Record<string, unknown>>);
  return saysNo(value) ? { denied: false, problem: `it printed ${shown(value)}, ${NO_DECISION}` } : { denied: false };
}

const NO_DECISION = 'and no object with a decision';
const NO = /^\s*(?:den(?:y|ied)|block(?:ed)?|reject(?:ed)?|refuse(?:d)?|ask|stop)\s*[.!]?\s*$/i;

/** True if a denial is in an unexpected place: alone, in a list, or under another name. */
function saysNo(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return NO.test(value);
  if (typeof value !== 'object' || value === null || depth > 3) return false;
  return Object.entries(value).some(([name, item]) => !TEXTS.has(name) && saysNo(item, depth + 1));
}

/** Members that hold sentences. */
const TEXTS: ReadonlySet<string> = new Set(['reason', 'additionalContext', 'systemMessage', 'stopReason']);

function problemWith(word: unknown, answer: Readonly<Record<string, unknown>>): string | undefined {
  if ('decision' in answer && word !== undefined && !ALLOWING.includes(word) && !DENYING.includes(word)) {
    return `its decision is ${shown(answer['decision'])}, which is neither allow nor deny`;
  }
  if (word === undefined && saysNo(answer))
    return `it says no in another place than decision: ${shown(answer).slice(0, 500)}`;
  const goesOn = answer['continue'];
  if (goesOn && goesOn !== true) return `its continue is ${shown(goesOn)}, which is neither true nor false`;
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : shown(value);
  return text.trim() === '' ? undefined : text;
}

function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}
