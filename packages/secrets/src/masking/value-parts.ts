import { ASSIGNMENT } from './opening.ts';
import { unfitValue } from './unfit-value.ts';

/** Shorter texts inside a value may be ordinary words. */
const MINIMAL_LEAF = 20;
const WRITTEN_BREAK = /\\r\\n|\\n/g;
/** Lines of files that are not secret and occur in ordinary texts: the first and last lines of keys, names without a value. */
const NO_SECRET = /^-----(BEGIN|END) [A-Z0-9 ]+-----$|^["']?[\w .-]+["']?\s*[:=]\s*[[{]?$/;

/**
 * Returns the parts of a value to mask: the whole value, with and without the white space around it; each of its lines, because
 * files are shown with line numbers; the long texts in it if it is JSON or a list of settings, such as the private key of a
 * service account; the password in it if it is a URL.
 */
export function valueParts(value: string): ReadonlySet<string> {
  const parts = new Set<string>();
  // Files are also kept in one line, with their line breaks written as `\n`, and shown as they were.
  const texts = [value, ...jsonTexts(value)].flatMap((text) => [text, text.replaceAll(WRITTEN_BREAK, '\n')]);
  for (const text of texts) {
    for (const part of [text, text.trim(), ...linesOf(text), ...passwordsOf(text)]) {
      if (unfitValue(part) === undefined) parts.add(part);
    }
  }
  return parts;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  if (lines.length === 1) return [];
  return lines.flatMap((line) => {
    if (NO_SECRET.test(line)) return [];
    const setting = line.replace(ASSIGNMENT, '').replace(/^(["'])(.*)\1$/, '$2');
    return setting.length >= MINIMAL_LEAF ? [line, setting] : [line];
  });
}

/** Returns the password in a URL, as it stands there and decoded. */
function passwordsOf(text: string): readonly string[] {
  const password = /^[a-z][\w+.-]*:\/\/[^/?#\s]*?:([^/?#\s]+)@/i.exec(text.trim())?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** The texts in a value that is JSON which are long enough, or have more than one line, to be secrets themselves. */
function jsonTexts(value: string): readonly string[] {
  const texts: string[] = [];
  // Not recursive: values may be nested deeper than the stack.
  const waiting: unknown[] = [parsed(value)];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      if (next.length >= MINIMAL_LEAF || /[\r\n]/.test(next)) texts.push(next);
    } else if (typeof next === 'object' && next !== null) {
      for (const child of Object.values(next)) waiting.push(child);
    }
  }
  return texts;
}

/** Parses a JSON object or array; `undefined` for all other texts. */
function parsed(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}
