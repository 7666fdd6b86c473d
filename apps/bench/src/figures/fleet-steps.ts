import { median, time, type Figure } from '../figure.ts';
import { Fleet } from '../load/fleet.ts';
import { Followers } from '../load/followers.ts';
import { sendMessage, socketsOf } from '../load/requests.ts';

/** Load of the servers of a fleet. */
export interface StepsInput {
  readonly conversations: number;
  /** Of each run. */
  readonly calls: number;
  readonly rounds: number;
}

/** Steps a second of conversations that run at once on one server, on two and on three, with one database. */
export async function fleetSteps({ conversations, calls, rounds }: StepsInput): Promise<readonly Figure[]> {
  const sizes = [1, 2, 3];
  const measured = new Map<number, number[]>(sizes.map((size) => [size, []]));
  await using fleet = await Fleet.start(3);
  // the first round measures how programs are compiled
  for (let round = 0; round <= rounds; round++)
    for (const size of sizes) {
      const rate = await stepsPerSecond(fleet, size, conversations, calls);
      if (round > 0) measured.get(size)?.push(rate);
    }
  const middle = (size: number): number => median(measured.get(size) ?? []);
  const alone = middle(1);
  return sizes.map((size) => {
    const value = middle(size);
    const beside = size === 1 ? { baseline: null, ratio: null } : { baseline: alone, ratio: value / alone };
    return { name: `fleet.steps.${conversations}.servers.${size}`, value, unit: 'per second', ...beside };
  });
}

async function stepsPerSecond(fleet: Fleet, size: number, conversations: number, calls: number): Promise<number> {
  const servers = fleet.servers.slice(0, size);
  const shares = await Promise.all(
    servers.map(async (server, nth) => {
      const many = Math.floor((conversations + nth) / size);
      return { server, ids: await server.ask('make', { conversations: many, calls }) };
    }),
  );
  using followers = await Followers.open(
    shares.flatMap(({ server, ids }) => socketsOf(server, ids)),
    false,
  );
  // of each call an action and its result; a system prompt, the message and the answer
  const frames = conversations * (2 * calls + 3);
  const start = shares.flatMap(({ server, ids }) => ids.map((id) => ({ server, id })));
  const lasted = await time(() =>
    Promise.all([followers.arrived(frames), ...start.map(({ server, id }) => sendMessage(server, id, { run: true }))]),
  );
  return (conversations * (calls + 1) * 1000) / lasted;
}
