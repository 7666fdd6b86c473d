import { assign } from '../commands/assignments.ts';
import { namesOf, type Program, valueOf } from '../commands/call.ts';

/** make, just, npm run: tasks of the project; a file of tasks from elsewhere is not. */
const tasks: Program = (call) => {
  const { shell, texts, input } = call;
  const file = valueOf(call, '-f', '--file', '--makefile', '--justfile');
  for (const word of call.words) if (/^[A-Za-z_]\w*=/.test(word.text)) assign(call, word);
  const isInput = file?.text === '-' || file?.text === '/dev/stdin';
  if (isInput) {
    shell.report('piped-code');
    if (input?.text === undefined) shell.report('unseen-code');
    // lines of a task are indented
    else for (const line of input.text.split('\n')) if (/^\s/.test(line)) shell.read(line.trim(), { isScript: false });
  } else if (file !== undefined && shell.madeAt(file.text)?.text !== undefined) shell.report('piped-code');
  const isFetched =
    shell.madeAt('.')?.origin === 1 ||
    (valueOf(call, '-C')?.text !== undefined && shell.madeAt(valueOf(call, '-C')?.text ?? '')?.origin === 1);
  if (isFetched) shell.report('fetch-to-exec');
  const command = call.name === 'just' ? texts.findIndex((text) => text === '-c' || text === '--command') : -1;
  if (command === -1) return;
  const rest = call.words.slice(command + 1);
  return rest.length === 1 ? shell.read(rest[0]?.text ?? '', { input }) : shell.run(rest, input);
};

/** Programs that run the tasks of a project. */
export const taskPrograms: Readonly<Record<string, Program>> = namesOf(
  tasks,
  'make gmake just task rake ninja invoke ant mvn gradle',
);
