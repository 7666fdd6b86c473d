import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Execution of one call according to the tool itself. */
export interface Execution {
  /** The lives that began it, one entry for each time. */
  readonly startedBy: number[];
  ended: boolean;
}

/** Notes that a tool begins or ends. Outside of the store, so that it holds whatever becomes of the conversation. */
export function testify(file: string, what: 'start' | 'end', callId: string, life: number): void {
  appendFileSync(file, `${what} ${callId} ${life}\n`);
}

/** Returns the notes of the tools of all lives, by call id. */
export function readWitness(file: string): ReadonlyMap<string, Execution> {
  const executions = new Map<string, Execution>();
  if (!existsSync(file)) return executions;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [what, callId, life] = line.split(' ');
    if (callId === undefined) continue;
    const execution = executions.get(callId) ?? { startedBy: [], ended: false };
    executions.set(callId, execution);
    if (what === 'start') execution.startedBy.push(Number(life));
    else execution.ended = true;
  }
  return executions;
}
