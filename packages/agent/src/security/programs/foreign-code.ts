import { type Call, operandsOf, valueOf } from '../commands/call.ts';
import { isForeign } from '../commands/foreign-path.ts';

/** The places from which a program takes what it runs. */
interface Sources {
  /** Options whose value is a file or folder of code or tasks; several, apart by colons, for Java. */
  readonly options: readonly string[];
  /** Returns the operands that are such files. */
  readonly files?: (operands: readonly string[]) => readonly string[];
}

const TASKS: Sources = {
  options: (
    '-f --file --makefile --justfile -b --build-file --buildfile -t --taskfile -C --directory -d --dir ' +
    '--working-directory -p --project-dir'
  ).split(' '),
};

/** The operand behind one of these verbs, or the first operand if it is a path. */
const behind =
  (...verbs: readonly string[]) =>
  (operands: readonly string[]): readonly string[] =>
    operands.filter((_, at) => at === 0 || (at === 1 && verbs.includes(operands[0] ?? '')));

const MANAGER: Sources = { options: ['--prefix', '-C', '--dir', '--cwd'] };

const SOURCES: ReadonlyMap<string, Sources> = new Map<string, Sources>([
  ...'make gmake just task rake ninja invoke ant mvn gradle scons'.split(' ').map((name) => [name, TASKS] as const),
  ['cmake', { options: ['-P'] }],
  ['gdb', { options: ['-x'] }],
  ['awk', { options: ['-f', '-i', '--file', '--include'] }],
  ['gawk', { options: ['-f', '-i', '--file', '--include'] }],
  ['pytest', { options: ['-c', '--rootdir', '--confcutdir'], files: (operands) => operands }],
  ['ansible-playbook', { options: [], files: (operands) => operands }],
  ['npm', MANAGER],
  ['pnpm', MANAGER],
  ['yarn', MANAGER],
  ['bun', { options: ['--cwd'], files: behind('run', 'test') }],
  ['deno', { options: [], files: behind('run', 'test', 'bench', 'serve') }],
  ['cargo', { options: ['--manifest-path'] }],
  ['dotnet', { options: ['--project'], files: behind('run', 'exec') }],
  ['go', { options: ['-C'], files: behind('run', 'test', 'generate') }],
  [
    'java',
    {
      options: '-jar -cp -classpath --class-path -p --module-path'.split(' '),
      files: (operands) => operands.slice(0, 1),
    },
  ],
]);

/** Reports a call that runs code or tasks from outside of the workspace: a change of them shows in no diff of it. */
export function reportForeignCode(call: Call): void {
  const sources = SOURCES.get(call.name);
  if (sources === undefined) return;
  const { options, files } = sources;
  const operands = files?.(operandsOf(call, options.join(' ')).map(({ text }) => text)) ?? [];
  const given = options.flatMap((option) => valueOf(call, option)?.text.split(':') ?? []);
  if ([...given, ...operands].some((path) => isForeign(path, call.shell))) call.shell.report('run-outside');
}
