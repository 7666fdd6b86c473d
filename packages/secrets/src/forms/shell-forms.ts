const NAMED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000b': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\E',
};

/** Returns the forms of a text as shells quote it, and as languages write it between single quotes. */
export function shellForms(text: string): readonly string[] {
  const doubled = text.replaceAll('\\', '\\\\');
  const ansi = doubled.replaceAll("'", "\\'");
  return [
    text.replaceAll("'", `'\\''`),
    text.replaceAll("'", `'"'"'`),
    text.replaceAll(/["$`\\]/g, '\\$&'),
    text.replaceAll(/["$`\\!]/g, '\\$&'),
    // The forms of `printf %q`, whose versions differ in the characters that they escape.
    text.replaceAll(/[^\w@%+=:./\-\u0080-\uffff]/g, '\\$&'),
    text.replaceAll(/[^\w@%+=:./\-\u0080-\uffff~#]|(?<=[:=])~/g, '\\$&'),
    text.replaceAll(/[^\w@%+=:./\-\u0080-\uffff~#,]|(?<=[:=])~/g, '\\$&'),
    controls(ansi, octal),
    octalBytes(controls(ansi, octal)),
    controls(ansi, hexadecimal),
    controls(doubled, hexadecimal),
  ];
}

function controls(text: string, number: (code: number) => string): string {
  return text.replaceAll(/[^ -~\u0080-\uffff]/g, (character) => NAMED[character] ?? number(character.charCodeAt(0)));
}

/** Returns a text as a shell writes it that knows no characters beyond ASCII. */
function octalBytes(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]+/g, (characters) =>
    [...new TextEncoder().encode(characters)].map(octal).join(''),
  );
}

function octal(code: number): string {
  return `\\${code.toString(8).padStart(3, '0')}`;
}

function hexadecimal(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
