import { median, time, type Figure } from '../figure.ts';
import { Followers, percentile } from '../load/followers.ts';
import { LoadProcess } from '../load/load-process.ts';
import { sendMessage, socketsOf } from '../load/requests.ts';
import { Place } from '../place.ts';

const MEBIBYTE = 2 ** 20;

/** Runs of a server that are on at the same time. */
export interface RunsAtOnce {
  readonly conversations: number;
  /** Of each run. */
  readonly calls: number;
  readonly rounds: number;
  /** The folder of a build to compare with. Default: none. */
  readonly before?: string | undefined;
}

interface Measured {
  readonly steps: number;
  readonly p50: number;
  readonly p99: number;
  readonly memory: number;
}

/** Many conversations that run at once, each with a subscriber: steps a second, how late events come, and memory. */
export async function runningAtOnce({ before, ...runs }: RunsAtOnce): Promise<readonly Figure[]> {
  const measured: Measured[] = [];
  const others: Measured[] = [];
  for (let round = 0; round < runs.rounds; round++) {
    if (before !== undefined) others.push(await measure(runs, before));
    measured.push(await measure(runs));
  }
  const middle = (all: readonly Measured[], name: keyof Measured): number => median(all.map((one) => one[name]));
  const inform = (name: keyof Measured, unit: Figure['unit']): Figure => {
    const value = middle(measured, name);
    const baseline = others.length > 0 ? middle(others, name) : null;
    const ratio = baseline === null ? null : value / baseline;
    return { name: `server.runs.${name}.${runs.conversations}`, value, unit, baseline, ratio };
  };
  const times4 = { of: 'ratio', is: 'at least', limit: 4 } as const;
  const steps = inform('steps', 'per second');
  return [
    before === undefined ? steps : { ...steps, target: times4 },
    inform('p50', 'ms'),
    inform('p99', 'ms'),
    { ...inform('memory', 'MB'), target: { of: 'value', is: 'at most', limit: 150 } },
  ];
}

async function measure({ conversations, calls }: Omit<RunsAtOnce, 'before'>, build?: string): Promise<Measured> {
  await using place = new Place();
  await using server = await (build === undefined
    ? LoadProcess.start('agent-server-worker', place.directory)
    : LoadProcess.startOf(build, 'agent-server-worker', place.directory));
  const ids = await server.ask('make', { conversations, calls });
  using followers = await Followers.open(socketsOf(server, ids), false);
  const latencies: number[] = [];
  for (const socket of followers.sockets)
    socket.on('message', (data: Buffer) => {
      const age = ageOf(data.toString('latin1'));
      if (age !== undefined) latencies.push(age);
    });
  const before = await server.ask('resident');
  // of each call an action and its result; a system prompt, the message and the answer
  const frames = conversations * (2 * calls + 3);
  const lasted = await time(() =>
    Promise.all([followers.arrived(frames), ...ids.map((id) => sendMessage(server, id, { run: true }))]),
  );
  return {
    steps: (conversations * (calls + 1) * 1000) / lasted,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    memory: ((await server.ask('resident')) - before) / MEBIBYTE,
  };
}

/** Milliseconds since the event of a frame was made: its time is local. */
function ageOf(frame: string): number | undefined {
  if (!frame.startsWith('{"type":"durable"')) return undefined;
  const made = /"timestamp":"([^"]+)"/.exec(frame)?.[1];
  return made === undefined ? undefined : Math.max(0, Date.now() - Date.parse(made));
}
