import { NOTHING_KNOWN, Origin } from '../shell/word.ts';
import { hasOption, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { deletes, linksTo, readFrom, writesTo, writeTo } from '../commands/file-access.ts';
import { setsUserId } from '../commands/options.ts';
import { readMade } from '../commands/written-scripts.ts';

const mv: Program = (call) => {
  const given = operandsOf(call, '-t --target-directory -S');
  const target = valueOf(call, '-t', '--target-directory') ?? given.at(-1);
  const isVoid = target?.text === '/dev/null';
  for (const word of target === given.at(-1) ? given.slice(0, -1) : given) {
    const { kind } = call.shell.place(word.text);
    if (isVoid || kind === 'system' || kind === 'above' || kind === 'home' || kind === 'workspace')
      call.shell.report('catastrophic-delete');
    else if (kind === 'personal' || kind === 'outside') call.shell.report('delete-unnamed');
    readFrom(word.text, call.shell, true);
  }
  if (target && !isVoid) writeTo(target.text, call.shell);
};

/** Programs that read all of their operands but the last, and write that one. */
const copy: Program = (call) => {
  const given = operandsOf(
    call,
    '-m -o -g -S -t --target-directory --mode --owner --group -e --rsh --exclude --include',
  );
  if (call.name === 'install' && setsUserId(valueOf(call, '-m', '--mode')?.text ?? ''))
    call.shell.report('set-user-id');
  const isDeep = call.name === 'rsync' || hasOption(call.texts, 'raR', 'recursive');
  const target = valueOf(call, '-t', '--target-directory') ?? given.at(-1);
  const sources = target === given.at(-1) ? given.slice(0, -1) : given;
  let origin = 0;
  for (const word of sources) origin |= readFrom(word.text, call.shell, isDeep);
  if (target === undefined) return;
  if (/^[\w.@-]+:(?!\/\/)/.test(target.text) && call.name === 'rsync') {
    call.shell.report('fetch');
    if ((origin & Origin.SECRET) !== 0) call.shell.report('send-secrets');
    return;
  }
  if (call.texts.some((text) => text.startsWith('--delete')))
    deletes({ ...target, text: target.text.replace(/\/+$/, '') }, call.shell, true);
  writeTo(target.text, call.shell);
  const source = sources[0];
  const isLinking =
    call.name === 'cp' && (hasOption(call.texts, 'sl', 'symbolic-link') || call.texts.includes('--link'));
  if (isLinking) for (const word of sources) linksTo(word.text, target.text, call.shell);
  const made = source && (call.shell.madeAt(source.text) ?? { text: undefined, origin, file: source.text });
  if (made) call.shell.make(target.text, made);
};

const dd: Program = (call) => {
  const part = (name: string): string | undefined =>
    call.texts.find((text) => text.startsWith(name))?.slice(name.length);
  const origin = readFrom(part('if=') ?? '', call.shell);
  const target = part('of=');
  if (target !== undefined) writesTo({ text: target, origin }, call.input ?? NOTHING_KNOWN, call.shell);
  return { text: undefined, origin: origin | (call.input?.origin ?? 0) };
};

/** Programs that write all of their operands. */
const writesAll: Program = (call) => {
  if (call.name === 'mkdir' && setsUserId(valueOf(call, '-m', '--mode')?.text ?? '')) call.shell.report('set-user-id');
  for (const word of operandsOf(call, '-s --size -d -t -r --reference')) {
    writeTo(word.text, call.shell);
    if (call.name === 'mkfifo') call.shell.make(word.text, NOTHING_KNOWN);
    if (call.name !== 'tee' || !call.input) continue;
    call.shell.make(word.text, call.input);
    readMade(word.text, call.input.text, call.shell);
  }
  return call.input;
};

/** patch: changes the file that it is given, or files that its input names in a folder. */
const patch: Program = (call) => {
  if (call.texts.includes('--dry-run')) return;
  const [file] = operandsOf(
    call,
    '-i -d -p -o -r -D -B -F -g -V -Y -z --input --directory --output --reject-file --strip',
  );
  const input = valueOf(call, '-i', '--input');
  if (input) readFrom(input.text, call.shell);
  for (const word of [file, valueOf(call, '-d', '--directory'), valueOf(call, '-o', '--output')])
    if (word) writeTo(word.text, call.shell);
};

/** Programs that copy, move and write files. */
export const copyingPrograms: Readonly<Record<string, Program>> = {
  mv,
  dd,
  patch,
  ...namesOf(copy, 'cp install rsync'),
  ...namesOf(writesAll, 'tee touch mkdir chattr setfacl mkfifo'),
};
