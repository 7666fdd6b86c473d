import { UNKNOWN } from '../facts/places.ts';
import { PARENT } from '../shell/variables.ts';
import { Origin } from '../shell/word.ts';
import { namesParent } from './builtins.ts';
import { namesOf, type Program, valueOf } from '../commands/call.ts';

const kill: Program = (call) => {
  const { texts, shell } = call;
  if (texts.includes('-l')) return;
  const targets = texts[0]?.startsWith('-') === true ? texts.slice(texts[0] === '-s' ? 2 : 1) : texts;
  if (call.words.some(({ origin }) => (origin & Origin.PROCESSES) !== 0)) shell.report('processes');
  if (targets.some((text) => namesParent(text) || SUPERVISORS.has(text) || /^-\d+$/.test(text)))
    shell.report('kill-supervisor');
};

/** The first process, and this process: actions are judged in the process that runs the agent. */
const SUPERVISORS: ReadonlySet<string> = new Set(['1', `${process.pid}`]);

/** Programs that the server which runs the agent may be known by. */
const SUPERVISOR = /\b(?:node|nodejs|agent|agent-server|openhands|conv|npm|pnpm|server|tmux)\b/i;

/** Judges programs that print the numbers of processes, found by a name or a port. */
const processes: Program = ({ texts, shell }) => {
  const ports = shell.world.listening.map(({ port }) => port);
  const isOwn = texts.some(
    (text) =>
      SUPERVISOR.test(text) ||
      ports.some((port) => text.endsWith(`:${port}`) || text === port || text.startsWith(`${port}/`)),
  );
  if (texts.some((text) => /^-\w*k/.test(text))) shell.report(isOwn ? 'kill-supervisor' : 'processes');
  return { text: isOwn ? PARENT : UNKNOWN, origin: Origin.PROCESSES };
};

const killByName: Program = ({ texts, shell }) => {
  const isSupervisor = texts.some((text) => SUPERVISOR.test(text) || /^(?:python3?|bash|sh)$/.test(text));
  shell.report(isSupervisor ? 'kill-supervisor' : 'processes');
};

const killPort: Program = ({ texts, shell }) => {
  const isOwn = texts.some((text) => shell.world.listening.some(({ port }) => text.includes(port)));
  shell.report(isOwn ? 'kill-supervisor' : 'processes');
};

const debuggers: Program = (call) => {
  const { texts, shell } = call;
  if (
    valueOf(call, '-p', '--pid') !== undefined ||
    call.name === 'gcore' ||
    texts.some((text) => /^attach$/.test(text))
  )
    shell.report('process-memory');
};

/** `ps e` shows the environment of processes. */
const ps: Program = ({ texts, shell }) => {
  const isOpen =
    texts.some(
      (text) =>
        /^-E$|^(?!-)[a-z]*e[a-z]*$/.test(text) && !/^(?:-e|time|cmd|etime|user|pid)$/.test(text) && !text.includes(','),
    ) && !texts.some((text) => /^-o|^o$|^--/.test(text));
  if (isOpen) shell.report('process-memory');
  return { text: undefined, origin: Origin.PROCESSES };
};

export const processPrograms: Readonly<Record<string, Program>> = {
  kill,
  ps,
  ...namesOf(processes, 'pgrep pidof lsof fuser ss netstat'),
  ...namesOf(killByName, 'pkill killall xkill'),
  ...namesOf(killPort, 'kill-port fkill'),
  ...namesOf(debuggers, 'gcore strace2 dlv py-spy'),
};
