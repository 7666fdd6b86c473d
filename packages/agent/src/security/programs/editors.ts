import { plainWord } from '../shell/word.ts';
import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';
import { writeTo } from '../commands/file-access.ts';
import { runFile } from '../commands/made-text.ts';
import { commandsIn } from '../commands/options.ts';

const EDITOR_RUNS = /(?:^|\|)[\s:]*(?:silent!?\s+)?(?:[\d,%$.]+\s*)?(?:(?:write|w)\s+|(?:read|r)\s*)?!\s*(\S.*)$/;
/** Functions of Emacs by which programs run. */
const LISP_RUNS =
  /\((?:async-)?shell-command|\(call-process|\(start-process|\(process-(?:file|lines)|\(make-process|\(eval\b|\(load\b/;

/** Commands of vi that write a file. */
const EDITOR_WRITES =
  /(?:^|\|)[\s:]*(?:silent!?\s+)?(?:[\d,%$.'<>]+\s*)?(?:w(?:rite)?|wq|x(?:it)?|sav(?:eas)?|up(?:date)?)!?\s+(?:>>\s*)?([^!|\s][^|\s]*)/g;
/** Commands of vi that run a file. */
const EDITOR_SOURCES = /(?:^|\|)[\s:]*(?:so(?:urce)?|ru(?:ntime)?|luafile|pyx?3?file|rubyfile)!?\s+([^|\s]+)/g;
/** Options whose value is a file of commands. */
const LOADS: Readonly<Record<string, readonly string[]>> = {
  emacs: ['-l', '--load', '--script', '-x'],
};
const LOADS_OF_VI = ['-S', '-u', '-U', '-s', '-i'];

const LISP_OPTIONS = /^--?(?:eval|execute)$/;

/** Values of the options that this expression names, apart or joined. */
function valuesOf({ texts }: Call, options: RegExp): readonly string[] {
  return texts.flatMap((text, at) => {
    const equals = text.indexOf('=');
    if (equals !== -1 && options.test(text.slice(0, equals))) return [text.slice(equals + 1)];
    return options.test(text) && texts[at + 1] !== undefined ? [texts[at + 1] as string] : [];
  });
}

/** Editors such as vim and emacs, whose own commands run programs. */
const editor: Program = (call) => {
  for (const [at, text] of call.texts.entries()) {
    const command = text.startsWith('+')
      ? text.slice(1)
      : /^(?:-[a-zA-Z]*c|--cmd)$/.test(text)
        ? (call.texts[at + 1] ?? '')
        : '';
    for (const [, path = ''] of command.matchAll(EDITOR_WRITES)) writeTo(path, call.shell);
    for (const [, path = ''] of command.matchAll(EDITOR_SOURCES)) runFile(plainWord(path), 'code', call.shell);
    const run = EDITOR_RUNS.exec(command) ?? /\bsystem\(|\bpy3?\b|\blua\b/.exec(command);
    if (run === null) continue;
    call.shell.report('injected-program');
    if (run[1]) call.shell.read(run[1], { isScript: false });
  }
  for (const code of valuesOf(call, LISP_OPTIONS)) {
    readCode(code, call.shell);
    if (!LISP_RUNS.test(code)) continue;
    call.shell.report('injected-program');
    for (const [, line = ''] of code.matchAll(/"([^"\n]{1,500})"/g)) call.shell.read(line, { isScript: false });
  }
  for (const option of LOADS[call.name] ?? LOADS_OF_VI) {
    const file = valueOf(call, option);
    if (file && /[/~.]/.test(file.text)) runFile(file, 'code', call.shell);
  }
  for (const word of operandsOf(call, '-c --cmd -S --eval --execute --funcall -f -l'))
    if (!word.text.startsWith('+')) call.shell.run([plainWord('less'), word], undefined);
};

/** ed: its commands are its input, and may write the file that it is given. */
const lineEditor: Program = (call) => {
  const { input, shell } = call;
  const text = input?.text;
  for (const line of commandsIn(text ?? '')) shell.read(line, { isScript: false });
  // commands that come later may write, as those may that are not known
  const isWriting = text === undefined || /^[\d,$%.]*w/m.test(text);
  for (const word of operandsOf(call, '-p'))
    if (isWriting) writeTo(word.text, shell);
    else shell.run([plainWord('less'), word], undefined);
  for (const [, path = ''] of (text ?? '').matchAll(/^[\d,$%.]*w[q!]?\s+([^!\s]\S*)/gm)) writeTo(path, shell);
};

/** Editors, which run programs when they are told to. */
export const editorPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(editor, 'vim vi nvim ex emacs view gvim vimdiff'),
  ...namesOf(lineEditor, 'ed red'),
};
