import { plainWord } from '../shell/word.ts';
import { type Call, namesOf, operandsOf, type Program } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';

const EDITOR_RUNS = /(?:^|\|)[\s:]*(?:silent!?\s+)?(?:[\d,%$.]+\s*)?(?:(?:write|read|w|r)\s*)?!\s*(\S.*)$/;
/** Functions of Emacs by which programs run. */
const LISP_RUNS =
  /\((?:async-)?shell-command|\(call-process|\(start-process|\(process-(?:file|lines)|\(make-process|\(eval\b|\(load\b/;

const LISP_OPTIONS = /^--?(?:eval|execute)$/;

/** Values of the options that this expression names, apart or joined. */
function valuesOf({ texts }: Call, options: RegExp): readonly string[] {
  return texts.flatMap((text, at) => {
    const equals = text.indexOf('=');
    if (equals !== -1 && options.test(text.slice(0, equals))) return [text.slice(equals + 1)];
    return options.test(text) && texts[at + 1] !== undefined ? [texts[at + 1] as string] : [];
  });
}

/** vim, emacs and their like: commands of theirs that run programs. */
const editor: Program = (call) => {
  for (const [at, text] of call.texts.entries()) {
    const command = text.startsWith('+')
      ? text.slice(1)
      : /^(?:-c|--cmd|-S)$/.test(text)
        ? (call.texts[at + 1] ?? '')
        : '';
    const run = EDITOR_RUNS.exec(command) ?? /\bsystem\(|\bpy3?\b|\blua\b/.exec(command);
    if (run === null) continue;
    call.shell.report('injected-program');
    if (run[1]) call.shell.read(run[1], { isScript: false });
  }
  for (const code of valuesOf(call, LISP_OPTIONS)) {
    if (!LISP_RUNS.test(code)) continue;
    call.shell.report('injected-program');
    readCode(code, call.shell);
    for (const [, line = ''] of code.matchAll(/"([^"\n]{1,500})"/g)) call.shell.read(line, { isScript: false });
  }
  for (const word of operandsOf(call, '-c --cmd -S --eval --execute --funcall -f -l'))
    if (!word.text.startsWith('+')) call.shell.run([plainWord('less'), word], undefined);
};

/** Editors, which run programs when they are told to. */
export const editorPrograms: Readonly<Record<string, Program>> = namesOf(editor, 'vim vi nvim ex emacs view');
