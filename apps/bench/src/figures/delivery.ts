import { median, time, type Figure } from '../figure.ts';
import { Followers } from '../load/followers.ts';
import { LoadProcess } from '../load/load-process.ts';
import { Place } from '../place.ts';

/** Events of a commit. They stay in memory: sockets are measured, not a disk. */
const EACH = 100;

/** Events a second that reach their subscribers, all of them together, beside the `ws` package sending the same. */
export async function delivery(subscribers: number, events: number, rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  await using ours = await LoadProcess.start('agent-server-worker', place.directory, 'memory');
  await using bare = await LoadProcess.start('bare-sockets-worker');
  const [id = ''] = await ours.ask('make', { conversations: 1, calls: 0 });
  using toOurs = await Followers.open(urls(ours.port, `/sockets/session/${id}`, subscribers), false);
  using toBare = await Followers.open(urls(bare.port, '/', subscribers), false);
  const append = { id, commits: events / EACH, each: EACH, bytes: 1024, every: 0 };
  const frames = events * subscribers;
  const round = async (server: LoadProcess, followers: Followers): Promise<number> => {
    const lasted = await time(() => Promise.all([server.ask('append', append), followers.arrived(frames)]));
    return (frames / lasted) * 1000;
  };
  const [values, baselines]: [number[], number[]] = [[], []];
  for (let nth = 0; nth <= rounds; nth++) {
    const [value, baseline] = [await round(ours, toOurs), await round(bare, toBare)];
    // the first round measures how programs are compiled
    if (nth > 0) [values, baselines].forEach((list, at) => list.push(at === 0 ? value : baseline));
  }
  const [value, baseline] = [median(values), median(baselines)];
  const target = { of: 'ratio', is: 'at least', limit: 0.7 } as const;
  return [
    { name: `socket.delivery.${subscribers}`, value, unit: 'per second', baseline, ratio: value / baseline, target },
  ];
}

/** So many times the address of a socket. */
export function urls(port: number, path: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => `ws://127.0.0.1:${port}${path}`);
}
