import { randomUUID } from 'node:crypto';
import { isStoreError, toConversationId } from '@conv/core/store';
import { inCi, isCi } from '@conv/testing-harness';
import { conflict, cut, dropAfter, dropBefore, hold, refuseAfter, slowDown, type Fault } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import type { S3Store } from '../src/index.ts';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { Writer } from './writer.ts';

const STEPS = isCi ? 12 : 30;
const CONVERSATIONS = 10;
const STALL = 60_000;
const MARKS = 'changes/';
const LIST = 'lists/summaries';

type Random = () => number;

function randomFrom(seed: number): Random {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

const chosen = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

/** Title that lists show of a conversation, or that it is not there. */
type Shown = string;

/** Everything that lists were to show of each conversation from the beginning on, by the bytes of its manifest. */
class Truth {
  readonly #server: TestBucket['server'];
  readonly #bodies = new Map<string, Buffer>();
  readonly #shown = new Map<string, Shown[]>();

  constructor({ server }: TestBucket) {
    this.#server = server;
  }

  /** Notes the manifests as they are now. Called before every request, and a version is read before the next one, so it sees them all. */
  look(): void {
    for (const key of this.#server.keys(BUCKET)) {
      if (!key.startsWith('manifests/')) continue;
      const body = this.#server.body(BUCKET, key);
      if (this.#bodies.get(key) === body) continue;
      this.#bodies.set(key, body);
      const { deleted, summary } = JSON.parse(body.toString()) as { deleted?: string; summary: { title: string } };
      const id = toConversationId(key.slice('manifests/'.length, -'.json'.length));
      this.#shown.set(id, [...(this.#shown.get(id) ?? ['not there']), deleted ? 'not there' : String(summary.title)]);
    }
  }

  /** Returns a function that returns what a list which began now may show of an id. */
  since(): (id: string) => readonly Shown[] {
    this.look();
    const from = new Map([...this.#shown].map(([id, shown]) => [id, shown.length - 1]));
    return (id) => (this.#shown.get(id) ?? ['not there']).slice(from.get(id) ?? 0);
  }
}

/** Writers, listers and faults of one bucket. */
class World {
  readonly bucket: TestBucket;
  readonly truth: Truth;
  readonly ids = Array.from({ length: CONVERSATIONS }, () => randomUUID() as string);
  readonly #random: Random;
  readonly #held: (() => void)[] = [];
  readonly #advance: () => void;
  #titles = 0;
  lists = 0;
  /** Conversations that a list has shown as their manifests never were meanwhile. */
  readonly wrong: string[] = [];

  constructor(bucket: TestBucket, random: Random, advance: () => void) {
    this.bucket = bucket;
    this.truth = new Truth(bucket);
    this.#random = random;
    this.#advance = advance;
    bucket.server.faults = ({ operation, key }) => {
      this.truth.look();
      // A process that is stopped between its mark and its manifest, and goes on much later.
      if (operation === 'PutObject' && key.startsWith('manifests/') && random() < 0.06)
        return hold(new Promise<void>((release) => this.#held.push(release)));
      return this.#trouble();
    };
  }

  /** Writes, deletes or forks a conversation in a process that may be killed. Its failures are of the faults and of the other processes. */
  async write(): Promise<void> {
    const clock = new TestClock();
    const store = this.bucket.store({ platform: clock });
    const id = chosen(this.#random, this.ids);
    const way = this.#random();
    await tolerated(async () => {
      if (way < 0.15) return store.delete(id);
      if (way < 0.25)
        return store.fork(id, chosen(this.#random, this.ids), { patch: { set: { title: this.#title() } } });
      const writer = new Writer(id, await store.open(id, { owner: 'writer' }));
      writer.fields = { ...writer.fields, title: this.#title() };
      await writer.append({ id: randomUUID(), events: [], patch: { set: writer.fields } });
      clock.advance(5000);
      // a killed process closes nothing
      if (way < 0.85) await writer.journal.close();
    });
    this.#advance();
  }

  /** Lists, and compares every conversation with what its manifest said meanwhile. */
  async list(store: S3Store): Promise<void> {
    const allowed = this.truth.since();
    await tolerated(async () => {
      const { items } = await store.list({ limit: 100 });
      this.truth.look();
      const shown = new Map(items.map(({ id, title }) => [id, String(title)]));
      for (const id of this.ids) {
        const found = shown.get(id) ?? 'not there';
        if (!allowed(id).includes(found)) this.wrong.push(`${id}: ${found}, not ${allowed(id).join(' or ')}`);
      }
      this.lists++;
    });
  }

  /** Damages or removes the shared list, as other programs may. */
  spoil(): void {
    const { server } = this.bucket;
    if (!server.keys(BUCKET).includes(LIST)) return;
    server.damage(BUCKET, LIST, (body) => (this.#random() < 0.5 ? undefined : body.subarray(0, body.length >> 1)));
  }

  /** Lets one stopped process go on. */
  release(): void {
    this.#held.splice(Math.floor(this.#random() * this.#held.length), 1)[0]?.();
  }

  /** Ends all faults, and lets every stopped process go on. */
  calm(): void {
    this.bucket.server.faults = () => {
      this.truth.look();
      return undefined;
    };
    for (const go of this.#held.splice(0)) go();
  }

  #title(): string {
    return `title ${this.#titles++}`;
  }

  #trouble(): Fault | undefined {
    const ways = [slowDown, dropBefore, dropAfter, conflict, cut, () => refuseAfter(500, 'InternalError')];
    return this.#random() < 0.08 ? chosen(this.#random, ways)() : undefined;
  }
}

async function tolerated(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isStoreError(error)) throw error;
  }
}

test.each(inCi([1, 2, 3], 3))(
  'a list shows what manifests say while it is made, whatever writers, listers and faults do (%i)',
  async (seed) => {
    const random = randomFrom(seed);
    let ahead = 0;
    const bucket = await testBucket({ now: () => Date.now() + ahead });
    const world = new World(bucket, random, () => (ahead += random() < 0.2 ? STALL : 0));
    const steps = async (step: () => Promise<void>): Promise<void> => {
      for (let at = 0; at < STEPS; at++) await step();
    };
    // A writer may be stopped for good, so that its turn does not end: the others release it.
    const writers = [1, 2, 3].map(() => steps(() => world.write()));
    const lister = (): Promise<void> => {
      const store = bucket.store({ platform: new TestClock() });
      return steps(async () => {
        await world.list(random() < 0.3 ? bucket.store({ platform: new TestClock() }) : store);
        if (random() < 0.5) world.release();
        if (random() < 0.03) world.spoil();
      });
    };
    await Promise.all([lister(), lister()]);
    world.calm();
    await Promise.all(writers);
    expect(world.wrong).toEqual([]);
    expect(world.lists).toBeGreaterThan(STEPS);
    const last = bucket.store();
    for (let at = 0; at < 3; at++) await world.list(last);
    expect(world.wrong).toEqual([]);
    // what is left waits for writes that have failed, or for the next time that the list is written
    expect(bucket.server.keys(BUCKET).filter((key) => key.startsWith(MARKS)).length).toBeLessThan(60);
  },
  120_000,
);

test('a store without a caller who lists removes the marks of its changes after five hundred of them', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  let most = 0;
  for (let made = 0; most < 500; made++) {
    expect(made).toBeLessThan(500);
    const { journal } = await Writer.begin(store);
    await journal.close();
    most = Math.max(most, bucket.server.keys(BUCKET).filter((key) => key.startsWith(MARKS)).length);
  }
  await store.close();
  expect(bucket.server.keys(BUCKET).filter((key) => key.startsWith(MARKS)).length).toBeLessThan(100);
});
