import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Execution of one command, according to the command itself. */
export interface Execution {
  /** The processes of servers that began it, one entry for each time. */
  readonly startedBy: string[];
  ended: number;
}

/** Record of the commands that run, outside of the store and of every server, so that it survives both. */
export class Witness {
  readonly #file: string;
  /** The variable in which a command finds which server it belongs to. */
  readonly memberVariable = 'FAILOVER_MEMBER';

  constructor(file: string) {
    this.#file = file;
  }

  /** A command that takes so long and has itself written down under this mark. */
  command(mark: string, seconds: number): string {
    const note = (what: string): string => `echo "${what} ${mark} $${this.memberVariable}" >> '${this.#file}'`;
    return `${note('start')}; sleep ${seconds.toFixed(2)}; ${note('end')}; echo ${mark}`;
  }

  /** Records a command that no process ran. */
  testify(mark: string): void {
    appendFileSync(this.#file, `start ${mark} nobody\n`);
  }

  /** The process that a command began or ended in last: `undefined` when there was none, empty where commands do not know. */
  get lastMember(): string | undefined {
    if (!existsSync(this.#file)) return undefined;
    const [what, , member = ''] = readFileSync(this.#file, 'utf8').trimEnd().split('\n').at(-1)?.split(' ') ?? [];
    return what ? member : undefined;
  }

  /** Returns the records, by mark. */
  read(): ReadonlyMap<string, Execution> {
    const executions = new Map<string, Execution>();
    if (!existsSync(this.#file)) return executions;
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      const [what, mark, member = ''] = line.split(' ');
      if (mark === undefined) continue;
      const execution = executions.get(mark) ?? { startedBy: [], ended: 0 };
      executions.set(mark, execution);
      if (what === 'start') execution.startedBy.push(member);
      else execution.ended++;
    }
    return executions;
  }
}

/** The mark in a command that {@link Witness.command} made. */
export function markIn(command: string): string | undefined {
  return /echo "start (\S+) /.exec(command)?.[1];
}
