import type { ShellWord } from '../shell/word.ts';
import type { Call } from './call.ts';

/** Options by which an interpreter is given code. The code is the next argument, or the first group of the expression. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[A-Za-bd-z]*?c(.*)$/s,
  node: /^(?:-(?:pe|e|p)|--(?:eval|print)(?:=|$))(.*)$/s,
  deno: /^(?:eval|--eval=?)$/,
  bun: /^(?:-[ep]|--(?:eval|print)(?:=|$))(.*)$/s,
  perl: /^(?:-[a-zA-Z0-9]*[eE]$|-[acfnpstTuUvwWXlh0-9]*[eE])(.*)$/s,
  ruby: /^(?:-[a-z]*e$|-[alnpsSwW]*e)(.*)$/s,
  php: /^(?:-[rBRE]|--(?:run|process-(?:begin|code|end))(?:=|$))(.*)$/s,
  lua: /^-e(.*)$/s,
  osascript: /^-e(.*)$/s,
};

const OTHER = /^(?:--?(?:eval|print|expr)(?:=|$)|-[eEc])(.*)$/s;

const LANGUAGES: Readonly<Record<string, string>> = {
  nodejs: 'node',
  tsx: 'node',
  'ts-node': 'node',
  'ts-node-esm': 'node',
  esno: 'node',
  coffee: 'node',
  ipython: 'python',
  pypy: 'python',
  luajit: 'lua',
  raku: 'perl',
};

/** Returns the name of the language that an interpreter reads. */
export function languageOf(name: string): string {
  const plain = name.replace(/[\d.]+$/, '');
  return LANGUAGES[plain] ?? plain;
}

/** Returns the pieces of code among the arguments of an interpreter. */
export function givenCode({ words }: Call, language: string): readonly ShellWord[] {
  const option = CODE_OPTIONS[language] ?? OTHER;
  const found: ShellWord[] = [];
  for (const [at, word] of words.entries()) {
    const [text, code = ''] = option.exec(word.text) ?? [];
    if (text === undefined) continue;
    const next = words.slice(at + 1).find((one) => language !== 'deno' || !one.text.startsWith('-'));
    if (code !== '') found.push({ ...word, text: code });
    else if (next !== undefined) found.push(next);
  }
  return found;
}
