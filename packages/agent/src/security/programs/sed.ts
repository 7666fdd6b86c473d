import { namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { writeTo } from '../commands/file-access.ts';
import { reading } from './reading.ts';

/** `sed`: files that are written, else read, and commands in its script. */
const sed: Program = (call) => {
  const { texts, shell } = call;
  const files = operandsOf(call, '-e -f --expression --file').slice(valueOf(call, '-e', '--expression', '-f') ? 0 : 1);
  const isInPlace = texts.some((text) => /^-\w*i|^--in-place/.test(text));
  for (const word of files) if (isInPlace) writeTo(word.text, shell);
  const script = valueOf(call, '-e', '--expression')?.text ?? operandsOf(call)[0]?.text ?? '';
  const run = /(?:^|[;{}\d$/!]\s*)e\s+(\S.*)$/m.exec(script)?.[1];
  if (run !== undefined) {
    shell.report('injected-program');
    shell.read(run, { isScript: false });
  }
  if (script.length < MAX_SCRIPT && RUNS_RESULT.test(script)) shell.report('injected-program');
  for (const [, target = ''] of script.matchAll(WRITES)) writeTo(target, shell);
  return reading(call, files);
};

/** Longest script that is looked at for substitutions. */
const MAX_SCRIPT = 2000;
/** A substitution whose result runs as a command: `s/x/y/e`. */
const RUNS_RESULT = /(?:^|[;{}\n\d$/!])\s*s([^\w\s])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1\w*e/;
/** A command that writes lines to a file: `w file`. */
const WRITES = /(?:^|[;{}\n\d$/!|])\s*\w?w\s+([/~]\S+)/g;

/** The editors of streams. */
export const sedPrograms: Readonly<Record<string, Program>> = namesOf(sed, 'sed gsed');
