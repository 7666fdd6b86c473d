import { Origin, plainWord } from '../shell/word.ts';
import { namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readFrom } from '../commands/file-access.ts';

/** Archives: packing reads folders, unpacking writes one. */
const archive: Program = (call) => {
  const { shell, texts } = call;
  const first = texts[0] ?? '';
  const isUnpacking =
    call.name === 'unzip' ||
    call.name === '7z' ||
    /^-?[a-zA-Z]*x|^--(?:extract|get)/.test(first) ||
    /^-?[a-z]*t/.test(first) ||
    (call.name.endsWith('tar') && texts.some((text) => /^-[a-zA-Z]*x[a-zA-Z]*$|^--(?:extract|get)$/.test(text)));
  for (const word of call.words) {
    const run = /^--(?:checkpoint-action=exec=|to-command=|use-compress-program=|rsh-command=)(.*)$|^-I(.+ .+)$/.exec(
      word.text,
    );
    if (run === null) continue;
    shell.report('injected-program');
    shell.read(run[1] ?? run[2] ?? '', { isScript: false });
  }
  const files = operandsOf(call, '-C --directory -f --file --exclude -X -d -x -T');
  let origin = call.input?.origin ?? 0;
  if (!isUnpacking)
    for (const word of files.slice(first.startsWith('-') ? 0 : 1)) origin |= readFrom(word.text, shell, true);
  const isWorkspace = files.some((word) => shell.place(word.text).kind === 'workspace');
  const isPrinted = !texts.some((text) => /f/.test(text) && /^-?[a-zA-Z]+$/.test(text));
  const target = valueOf(call, '-C', '--directory', '-d');
  if (isUnpacking && target) shell.run([plainWord('mkdir'), target], undefined);
  const isFetched = [call.input, ...call.texts.map((text) => shell.madeAt(text))].some(
    (source) => ((source?.origin ?? 0) & Origin.NETWORK) !== 0,
  );
  if (isUnpacking && isFetched) shell.make(target?.text ?? '.', { text: undefined, origin: Origin.NETWORK });
  return { text: undefined, origin: origin | (isWorkspace && isPrinted && !isUnpacking ? Origin.SECRET : 0) };
};

/** Programs that pack and unpack. */
export const archivePrograms: Readonly<Record<string, Program>> = namesOf(archive, 'tar zip unzip 7z bsdtar cpio');
