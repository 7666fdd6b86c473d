import { time, type Figure } from '../figure.ts';
import { Followers, percentile } from '../load/followers.ts';
import { LoadProcess } from '../load/load-process.ts';
import { sendMessage, socketsOf } from '../load/requests.ts';
import { Place } from '../place.ts';

const MEBIBYTE = 2 ** 20;

/** Many conversations that run at once, each with a subscriber: steps a second, how late events come, and memory. */
export async function runningAtOnce(conversations: number, calls: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('agent-server-worker', place.directory);
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
  const memory = ((await server.ask('resident')) - before) / MEBIBYTE;
  const inform = (name: string, value: number, unit: Figure['unit']): Figure => ({
    name: `server.runs.${name}.${conversations}`,
    value,
    unit,
    baseline: null,
    ratio: null,
  });
  return [
    inform('steps', (conversations * (calls + 1) * 1000) / lasted, 'per second'),
    inform('p50', percentile(latencies, 0.5), 'ms'),
    inform('p99', percentile(latencies, 0.99), 'ms'),
    { ...inform('memory', memory, 'MB'), target: { of: 'value', is: 'at most', limit: 150 } },
  ];
}

/** Memory of a server with many conversations that do nothing and have a subscriber each, beyond that of an empty one. */
export async function idleConversations(conversations: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using server = await LoadProcess.start('agent-server-worker', place.directory);
  await warmUp(server);
  const before = await server.ask('resident');
  const ids = await server.ask('make', { conversations, calls: 0 });
  using _followers = await Followers.open(socketsOf(server, ids), false);
  const value = ((await server.ask('resident')) - before) / MEBIBYTE;
  const target = { of: 'value', is: 'at most', limit: 150 } as const;
  return [{ name: `server.idle.memory.${conversations}`, value, unit: 'MB', baseline: null, ratio: null, target }];
}

/** Makes some conversations before the measurement, so that loading and compilation do not count. */
async function warmUp(server: LoadProcess): Promise<void> {
  const ids = await server.ask('make', { conversations: 10, calls: 0 });
  using _followers = await Followers.open(socketsOf(server, ids), false);
}

/** Milliseconds since the event of a frame was made: its time is local. */
function ageOf(frame: string): number | undefined {
  if (!frame.startsWith('{"type":"durable"')) return undefined;
  const made = /"timestamp":"([^"]+)"/.exec(frame)?.[1];
  return made === undefined ? undefined : Math.max(0, Date.now() - Date.parse(made));
}
