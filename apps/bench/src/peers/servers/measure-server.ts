import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { call, createModelServer, say, toolResults } from '@conv/testing-model-server';
import type { WebSocket } from 'ws';

import { time } from '../../figure.ts';
import { benchFolder } from '../bench-folder.ts';
import { summarise, type Cell, type Work } from '../cell.ts';
import { inLanes } from '../../lanes.ts';
import { textOf } from '../peer.ts';
import type { PeerPlan } from '../plan.ts';
import { sample } from '../sample.ts';
import type { AgentServer, RunningServer } from './agent-server.ts';
import { ServerClient, type Arrival } from './server-client.ts';

/** Calls of a tool in each run. */
const CALLS = 5;
/** Events that a client missed when it comes back. */
const MISSED = 10;
/** Conversations that are made, and sockets that are opened, at the same time. */
const AT_ONCE = 20;
/** Conversations that are made before memory counts. */
const WARM_UP = 20;

/** Measures every work of an agent server. Works that fail have the reason in their cells. */
export async function measureServer(server: AgentServer, plan: PeerPlan): Promise<readonly Cell[]> {
  const folder = benchFolder('server');
  await using model = await createModelServer({
    script: (request) => {
      const done = toolResults(request, 'since-last-user-message').length;
      return done < CALLS ? call('think', { thought: `thought ${done}` }) : say('done');
    },
  });
  const measurement = new ServerMeasurement({ server, plan, folder, model: model.url });
  try {
    return await measurement.run();
  } finally {
    await measurement.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a cell with the reason for each work of a server that cannot be started here. */
export function missingServerCells({ key }: AgentServer, plan: PeerPlan, cannot: string): readonly Cell[] {
  return partsOf(plan).flatMap(({ works, size }) => works.map((work) => ({ work, peer: key, size, cannot })));
}

/** Returns the works that are measured together, and their sizes. */
function partsOf({ runs, missedOf }: PeerPlan): readonly { readonly works: readonly Work[]; readonly size: number }[] {
  return [
    { works: ['command', 'event'], size: 1 },
    { works: ['idle', 'runs'], size: runs },
    { works: ['reconnect', 'reconnectBytes'], size: missedOf },
  ];
}

interface ServerMeasurementDeps {
  readonly server: AgentServer;
  readonly plan: PeerPlan;
  readonly folder: string;
  readonly model: string;
}

class ServerMeasurement {
  readonly #deps: ServerMeasurementDeps;
  readonly #cells: Cell[] = [];
  #running: RunningServer | undefined;

  constructor(deps: ServerMeasurementDeps) {
    this.#deps = deps;
  }

  async run(): Promise<readonly Cell[]> {
    const { plan } = this.#deps;
    const parts = [() => this.#commands(), () => this.#runs(), () => this.#reconnect()];
    for (const [index, { works, size }] of partsOf(plan).entries())
      await this.#attempt(works, size, parts[index] ?? (async () => {}));
    return this.#cells;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  /** Does a part of the works within the limit; works of it that have no cell then get the reason. */
  async #attempt(works: readonly Work[], size: number, part: () => Promise<void>): Promise<void> {
    const { server, plan } = this.#deps;
    let timer: NodeJS.Timeout | undefined;
    const limit = plan.limit * SERVER_LIMIT;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took over ${limit / 1000} s`)), limit);
    });
    const reason = await Promise.race([part(), late]).then(
      () => 'nothing was measured',
      (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 160),
    );
    clearTimeout(timer);
    for (const work of works)
      if (!this.#cells.some((cell) => cell.work === work))
        this.#cells.push({ work, peer: server.key, size, cannot: reason });
  }

  #put(work: Work, size: number, values: readonly number[], note?: string): void {
    const cell = { work, peer: this.#deps.server.key, size, measured: summarise(values) };
    this.#cells.push(note === undefined ? cell : { ...cell, note });
  }

  /** Resolves with a client of the server, which is started where it does not run. */
  async #client(): Promise<ServerClient> {
    const { server, folder } = this.#deps;
    this.#running ??= await server.start(folder);
    return new ServerClient(this.#running.url);
  }

  #create(client: ServerClient): Promise<string> {
    return client.create(join(this.#deps.folder, 'work'), this.#deps.model);
  }

  async #commands(): Promise<void> {
    const { plan } = this.#deps;
    const client = await this.#client();
    const id = await this.#create(client);
    let number = 0;
    const text = (): string => textOf(`message-${number++}`);
    const command = (): Promise<number> => time(() => client.send(id, text(), false));
    await sample(20, plan.budget / 4, command);
    this.#put('command', 1, await sample(plan.samples, plan.budget, command));
    let awaited = '';
    let arrived: () => void = () => {};
    const socket = await client.follow(id, (arrival) => {
      if (awaited !== '' && arrival.text.includes(awaited)) arrived();
    });
    const event = (): Promise<number> =>
      time(async () => {
        const message = text();
        awaited = message;
        const shown = new Promise<void>((resolve) => (arrived = resolve));
        await Promise.all([shown, client.send(id, message, false)]);
      });
    await event();
    this.#put('event', 1, await sample(plan.samples, plan.budget, event), 'from the request until a socket shows it');
    socket.terminate();
  }

  async #runs(): Promise<void> {
    const { runs } = this.#deps.plan;
    const client = await this.#client();
    const sockets: WebSocket[] = [];
    try {
      // the first ones load and compile
      await inLanes(numbersTo(WARM_UP), AT_ONCE, async () => {
        sockets.push(await client.follow(await this.#create(client), () => {}));
      });
      const before = (await this.#running?.resident()) ?? 0;
      const ids = await inLanes(numbersTo(runs), AT_ONCE, () => this.#create(client));
      let left = runs;
      let finish: () => void = () => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      await inLanes(ids, AT_ONCE, async (id) => {
        const take = ({ event }: Arrival): void => {
          if (event.kind === 'MessageEvent' && event.source === 'agent' && --left === 0) finish();
        };
        sockets.push(await client.follow(id, take));
      });
      const after = (await this.#running?.resident()) ?? 0;
      this.#put('idle', runs, [(after - before) / 1e6 / runs], 'with a socket each');
      const elapsed = await time(() => Promise.all([finished, ...ids.map((id) => client.send(id, 'go on', true))]));
      this.#put('runs', runs, [(runs * (CALLS + 1) * 1000) / elapsed], `runs of ${CALLS} calls and a message each`);
    } finally {
      for (const socket of sockets) socket.terminate();
    }
  }

  async #reconnect(): Promise<void> {
    const { server, folder, plan } = this.#deps;
    const id = await this.#create(await this.#client());
    await (await this.#client()).send(id, 'the first', false);
    await this.stop();
    await server.fill(folder, id, plan.missedOf);
    const client = await this.#client();
    const end = plan.missedOf - 1;
    const first = await comeBack(client, id, { after: end - 1, events: 1 });
    for (let missed = 0; missed < MISSED; missed++) await client.send(id, textOf(`missed-${missed}`), false);
    const times: number[] = [];
    const bytes: number[] = [];
    for (let round = 0; round < 5; round++) {
      const { elapsed, received } = await comeBack(client, id, { after: end, events: MISSED });
      times.push(elapsed);
      bytes.push(received);
    }
    this.#put('reconnect', plan.missedOf, times, `the first time after its start ${Math.round(first.elapsed)} ms`);
    this.#put('reconnectBytes', plan.missedOf, bytes, `${MISSED} events that were missed`);
  }
}

const numbersTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Multiple of the limit of a process that each part of the works has: a server starts, and is filled, within it. */
const SERVER_LIMIT = 2;

/** Comes back with the number of the last event; resolves when so many messages have come. */
async function comeBack(
  client: ServerClient,
  id: string,
  { after, events }: { readonly after: number; readonly events: number },
): Promise<{ readonly elapsed: number; readonly received: number }> {
  let received = 0;
  let left = events;
  let complete: () => void = () => {};
  const all = new Promise<void>((resolve) => (complete = resolve));
  const take = ({ event, text }: Arrival): void => {
    received += Buffer.byteLength(text);
    // OpenHands' server also keeps changes of its state in the log
    if (event.kind === 'MessageEvent' && --left === 0) complete();
  };
  const start = performance.now();
  const socket = await client.follow(id, take, after);
  await all;
  const elapsed = performance.now() - start;
  socket.terminate();
  return { elapsed, received };
}
