/** How many variables are followed, and how long a text may get by it. */
const MAX_VARIABLES = 50;
const MAX_LENGTH = 60_000;

const ANSI_QUOTED = /\$'((?:[^'\\]|\\[^\n])*)'/g;
const ANSI_ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/g;
const LETTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: ' ',
  r: '\n',
  v: ' ',
  f: ' ',
  a: '',
  b: '',
  e: '',
  E: '',
};

/**
 * What a script may come to mean, in three readings. Which of them holds depends on the program that reads it, and all
 * of them are looked at.
 *
 * 1. Quotes, backslashes and brackets inside words are taken away: `r''m`, `r\m`, `/bin/r[m]`.
 * 2. Quotes, commas and brackets are spaces, so that texts inside of code and lists are command lines of their own.
 * 3. As the first, with variables that the script itself sets put in: `a=r b=m; $a$b`.
 */
export function shellReadings(plain: string): readonly string[] {
  const script = unfolded(plain);
  const joined = withoutQuotes(script);
  const spaced = script
    .replaceAll(/\\[nrt]/g, '\n')
    .replaceAll(/["'\\,[\]]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ');
  const filled = withVariables(script);
  return [...new Set([joined, spaced, ...(filled === script ? [] : [withoutQuotes(filled)])])];
}

/** The script without line continuations, with `$'…'` written out and with the variables that only separate words or say nothing. */
function unfolded(plain: string): string {
  return plain
    .replaceAll('\\\n', '')
    .replaceAll(ANSI_QUOTED, (_, body: string) => body.replaceAll(ANSI_ESCAPE, unescaped))
    .replaceAll(/\$(?:\{IFS[^{}]*\}|IFS\b)/g, ' ')
    .replaceAll(/\$(?:[@*1-9]|\{[@*1-9]\})/g, '')
    .replaceAll(/\$\{\w{1,40}:?[-=+]([^{}]*)\}/g, '$1');
}

function unescaped(_: string, hex?: string, short?: string, long?: string, octal?: string, other = ''): string {
  const digits = hex ?? short ?? long;
  const code =
    digits === undefined ? (octal === undefined ? undefined : Number.parseInt(octal, 8)) : Number.parseInt(digits, 16);
  if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  return LETTERS[other] ?? other;
}

function withoutQuotes(script: string): string {
  return script.replaceAll(/["'\\[\]]+/g, '');
}

const ASSIGNMENT = /(?<![\w$])([A-Za-z_]\w{0,40})=("[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s;&|"'()]{1,200})/g;
const REFERENCE = /\$(?:([A-Za-z_]\w{0,40})|\{([A-Za-z_]\w{0,40})\})/g;

function withVariables(script: string): string {
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of script.matchAll(ASSIGNMENT)) {
    if (values.size >= MAX_VARIABLES) break;
    // A variable may be made of others that were set before it.
    values.set(name, filledIn(value.replaceAll(/^["']|["']$/g, ''), values).slice(0, 400));
  }
  return values.size === 0 ? script : filledIn(script, values);
}

function filledIn(text: string, values: ReadonlyMap<string, string>): string {
  let length = text.length;
  return text.replaceAll(REFERENCE, (reference, plain?: string, braced?: string) => {
    const value = values.get(plain ?? braced ?? '') ?? reference;
    length += value.length;
    return length > MAX_LENGTH ? reference : value;
  });
}
