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
 * What a script may come to mean, in several readings. Which of them holds depends on the program that reads it, and all
 * of them are looked at.
 *
 * 1. Quotes, backslashes and brackets inside words are taken away: `r''m`, `r\m`, `/bin/r[m]`.
 * 2. Quotes, commas and brackets are spaces, so that texts inside of code and lists are command lines of their own.
 * 3. As the first, with variables that the script itself sets put in: `a=r b=m; $a$b`.
 * 4. As the second, with characters put in that are written as numbers: `"\x72\x6d"`.
 */
export function shellReadings(plain: string): readonly string[] {
  const script = unfolded(withoutMentions(plain));
  const joined = withoutQuotes(script);
  const spaced = withSpaces(script);
  const filled = withVariables(script);
  const numbered = script.replaceAll(CODE_ESCAPE, unescaped);
  return [
    ...new Set([
      joined,
      spaced,
      ...(filled === script ? [] : [withoutQuotes(filled)]),
      ...(numbered === script ? [] : [withSpaces(numbered)]),
    ]),
  ];
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

/** As {@link ANSI_ESCAPE}, of those that say a character by its number. */
const CODE_ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/g;
/** A variable inside a word that is likely to be empty: one that is set is filled in. */
const INSIDE_WORD = /(?<=[\w-])\$\{\w{1,40}\}(?=\w)/g;

function withoutQuotes(script: string): string {
  return script.replaceAll(INSIDE_WORD, '').replaceAll(/["'\\[\]]+/g, '');
}

function withSpaces(script: string): string {
  return script
    .replaceAll(/\\[nrt]/g, '\n')
    .replaceAll(/["'\\,[\]]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ');
}

/** Commands whose quoted arguments are only spoken of, where nothing stands before them that could run them. */
const MENTIONING = /^\s*(?:cd [\w./~-]+ ?(?:&&|;) ?)?(?:git (?:-C [\w./~-]+ )?commit|grep|egrep|fgrep)(?= )/;
const ARGUMENT = / +(?:("[^"$`\\]*"|'[^']*')|[\w./=@:,+%^~*-]+)(?=[ \n;&]|$)/y;

/** The script without what a commit is called and what is searched for. Piped on it could be run, and stays. */
function withoutMentions(plain: string): string {
  const [start] = MENTIONING.exec(plain) ?? [];
  if (start === undefined) return plain;
  let kept = start;
  ARGUMENT.lastIndex = start.length;
  for (;;) {
    const end = ARGUMENT.lastIndex;
    const found = ARGUMENT.exec(plain);
    if (found === null) return plain.includes('|', end) ? plain : kept + plain.slice(end);
    kept += found[1] === undefined ? found[0] : ' …';
  }
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
