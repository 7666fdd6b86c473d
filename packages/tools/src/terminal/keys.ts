const NAMED: Readonly<Record<string, string>> = {
  ENTER: '\r',
  TAB: '\t',
  ESC: '\x1b',
  BACKSPACE: '\x7f',
  UP: '\x1b[A',
  DOWN: '\x1b[B',
  RIGHT: '\x1b[C',
  LEFT: '\x1b[D',
};

/** Returns the characters for the terminal: a key by its name (`C-c`, `ESC`, `UP`), other text as a line. */
export function toKeystrokes(input: string): string {
  const name = input.trim();
  const control = /^C-([a-zA-Z\\\]^_])$/.exec(name)?.[1];
  if (control) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f);
  return NAMED[name] ?? (input.endsWith('\n') ? input : `${input}\n`);
}
