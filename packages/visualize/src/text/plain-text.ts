const ESCAPE = '\u001b';
const BELL = '\u0007';
const STRING_END = `(?:${BELL}|${ESCAPE}\\\\|\u009c)`;

/** Complete control sequences, 7-bit and 8-bit: CSI, the string sequences (OSC, DCS, SOS, PM, APC), and short escapes. */
const sequences = new RegExp(
  [
    `(?:${ESCAPE}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
    `(?:${ESCAPE}[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\\p{Cc}]*${STRING_END}`,
    `${ESCAPE}[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

/** Controls, format characters such as bidi overrides and tags, unassigned invisible characters, line separators, lone surrogates. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2065\ufff0-\ufff8\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu;

/** Format characters that writing systems and emoji need and that show or join, never reorder or hide. */
const harmless = /\u200c|\u200d|[\u0600-\u0605]|\u06dd|\u08e2/u;

/** All characters that are invisible on a screen: those above, joiners, fillers, selectors, and blanks that look like a space. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/gu;

const printableAscii = /^[\n -~]*$/;

const TAB_STOP = 4;

/**
 * Returns text that cannot control a terminal. Complete terminal sequences are dropped. The rest of incomplete sequences, and every
 * other control or invisible character, becomes an escape such as `\x1b` or `\u202e`. Line ends become `\n`, tabs spaces; no other
 * control character is left. Idempotent.
 */
export function plainText(text: string): string {
  if (printableAscii.test(text)) return text;
  const visible = text
    .replace(sequences, '')
    .replace(/\r+\n?/g, '\n')
    .replace(unsafe, showEscaped);
  return visible.includes('\t') ? visible.split('\n').map(expandTabs).join('\n') : visible;
}

/**
 * Returns the same text with nothing dropped. Each control and invisible character, and each blank but the usual one, becomes
 * an escape. So a person who decides on a command sees all of it. Line ends stay.
 */
export function visibleText(text: string): string {
  if (printableAscii.test(text)) return text;
  return text.replace(hidden, (character) => (/[\n\t]/.test(character) ? character : escaped(character)));
}

/** Returns JSON of the same value, with escapes for what a terminal may obey or hide; line ends in it stay. */
export function plainJson(json: string): string {
  return json.replace(unsafe, (character) =>
    character === '\n'
      ? character
      : Array.from(
          { length: character.length },
          (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
        ).join(''),
  );
}

/** Returns {@link plainText} on one line: line ends, with the blanks around them, become a space. */
export function plainLine(text: string): string {
  const plain = plainText(text);
  if (!plain.includes('\n')) return plain;
  // split and trimmed, because the search for blanks in front of a line end takes time that grows with the square of their number
  const [first = '', ...rest] = plain.split('\n');
  const last = rest.pop() ?? '';
  const between = rest.map((line) => line.trim()).filter((line) => line !== '');
  return [first.trimEnd(), ...between, last.trimStart()].join(' ');
}

function showEscaped(character: string): string {
  if (character === '\n' || character === '\t' || harmless.test(character)) return character;
  return character === '\u2028' || character === '\u2029' ? '\n' : escaped(character);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

function expandTabs(line: string): string {
  const [first = '', ...rest] = line.split('\t');
  return rest.reduce((before, part) => before + ' '.repeat(TAB_STOP - (before.length % TAB_STOP)) + part, first);
}
