import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import type { FleetOptions } from '../../src/ownership/fleet-options.ts';
import { TakeOvers } from '../../src/ownership/take-overs.ts';
import { testFleet } from '../support/test-fleet.ts';
import { owned } from '../support/front-server.ts';

/** Milliseconds from one scan to the next. */
const SCAN = 2000;

/** A store with running conversations, and the actions of a fleet's server on them. */
class Scene {
  /** Running conversations by id, with their owners; `undefined`: no owner. */
  readonly running = new Map<string, { owner: string; until?: number } | undefined>();
  readonly ready = new Set<string>();
  readonly taken: string[] = [];
  /** Numbers of the scans in which a conversation was taken over. */
  readonly takenAt: number[] = [];
  readonly tried: string[] = [];
  readonly reported: unknown[] = [];
  readonly withoutOwner: (number | undefined)[] = [];
  freeSlots = 100;
  looks = 0;
  failure: Error | undefined;
  readonly platform: ManualPlatform = new ManualPlatform(Date.UTC(2030, 0, 1));
  readonly takeOvers: TakeOvers;

  constructor(options: Partial<FleetOptions> = {}) {
    const observer: FleetOptions['observer'] = {
      tookOver: (_, about) => void this.withoutOwner.push(about.withoutOwner),
    };
    this.takeOvers = new TakeOvers(
      { ...testFleet('http://self.invalid'), scanInterval: SCAN, observer, ...options },
      {
        platform: this.platform,
        store: { list: async () => this.#list() },
        freeSlots: () => this.freeSlots,
        isLoaded: (id) => this.taken.includes(id),
        take: (id) => this.#take(id),
        isPeer: (owner) => /^https?:/.test(owner),
        isReady: async (url) => this.ready.has(url),
        report: (error) => void this.reported.push(error),
      },
    );
    onTestFinished(() => this.takeOvers.close());
  }

  /** Lets so many further scans end, after the scan that is under way. */
  async look(times = 3): Promise<void> {
    for (let scan = 0; scan <= times; scan++) {
      while (this.platform.waits.length === 0) await this.platform.nextTurn();
      if (scan < times) this.platform.pass(SCAN);
    }
  }

  /** The lease of an owner that ends so many milliseconds from now. */
  in(milliseconds: number): number {
    return this.platform.now() + milliseconds;
  }

  triesOf(id: string): number {
    return this.tried.filter((one) => one === id).length;
  }

  async #list(): Promise<{ items: never[] }> {
    this.looks++;
    if (this.failure) throw this.failure;
    return { items: [...this.running.keys()].map((id) => ({ id })) as never[] };
  }

  async #take(id: string): Promise<void> {
    this.tried.push(id);
    const owner = this.running.get(id);
    if (owner) throw owned({ epoch: 1, ...owner });
    this.taken.push(id);
    this.takenAt.push(this.looks);
    this.freeSlots--;
    this.takeOvers.tookOver(id);
  }
}

const PEER = 'http://peer.invalid';

test('a run without an owner is taken', async () => {
  const scene = new Scene();
  scene.running.set('a', undefined);
  scene.takeOvers.start();
  await scene.look();
  expect(scene.taken).toEqual(['a']);
});

test('a run whose server takes requests is tried once, and then its server is asked instead', async () => {
  const scene = new Scene();
  scene.ready.add(PEER);
  for (const id of ['a', 'b', 'c']) scene.running.set(id, { owner: PEER, until: scene.in(-1) });
  scene.takeOvers.start();
  await scene.look(5);
  expect(['a', 'b', 'c'].map((id) => scene.triesOf(id))).toEqual([1, 1, 1]);
});

test('runs of a server that takes no more requests are taken as soon as they can be had', async () => {
  const scene = new Scene();
  scene.ready.add(PEER);
  scene.running.set('a', { owner: PEER, until: scene.in(60_000) });
  scene.takeOvers.start();
  await scene.look();
  expect(scene.triesOf('a')).toBe(1);
  scene.ready.delete(PEER);
  await scene.look(2);
  expect(scene.triesOf('a')).toBe(3);
  scene.running.set('a', undefined);
  await scene.look(1);
  expect(scene.taken).toEqual(['a']);
  expect(scene.withoutOwner).toEqual([3 * SCAN]);
});

test('a run of a process that is no server is left alone until its lease is over', async () => {
  const scene = new Scene();
  scene.running.set('a', { owner: 'pid 7 on elsewhere', until: scene.in(5 * SCAN) });
  scene.running.set('b', { owner: 'pid 8 on elsewhere', until: scene.in(-1) });
  scene.takeOvers.start();
  await scene.look(4);
  expect([scene.triesOf('a'), scene.triesOf('b')]).toEqual([1, 5]);
  await scene.look(1);
  expect(scene.triesOf('a')).toBe(2);
});

test('a conversation of an earlier process with the same URL is tried repeatedly', async () => {
  const scene = new Scene();
  scene.ready.add('http://self.invalid');
  scene.running.set('a', { owner: 'http://self.invalid', until: scene.in(60_000) });
  scene.takeOvers.start();
  await scene.look(3);
  expect(scene.triesOf('a')).toBe(4);
});

test('no more runs are taken than there are slots, unless no other server takes them for a while', async () => {
  const scene = new Scene();
  scene.freeSlots = 2;
  const ids = ['a', 'b', 'c', 'd', 'e'];
  for (const id of ids) scene.running.set(id, undefined);
  scene.takeOvers.start();
  await scene.look(10);
  expect(scene.taken.length).toBe(ids.length);
  expect(scene.takenAt.slice(0, 2)).toEqual([1, 1]);
  expect(Math.min(...scene.takenAt.slice(2))).toBeGreaterThan(5);
});

test("a server without places leaves a dead server's run to others, however long it has known of it", async () => {
  const scene = new Scene();
  scene.freeSlots = 0;
  scene.running.set('a', { owner: PEER });
  scene.ready.add(PEER);
  scene.takeOvers.start();
  await scene.look(5);
  expect(scene.tried).toEqual(['a']);
  const { looks } = scene;
  scene.ready.delete(PEER);
  scene.running.set('a', undefined);
  await scene.look(10);
  expect(scene.taken).toEqual(['a']);
  expect((scene.takenAt[0] ?? 0) - looks).toBeGreaterThan(4);
});

test('a conversation seen running is scanned, even if lists do not have it yet', async () => {
  const scene = new Scene();
  scene.takeOvers.start();
  await scene.look();
  scene.takeOvers.saw('a');
  await scene.look(1);
  expect(scene.taken).toEqual(['a']);
});

test('a store that fails is reported, and looked at again', async () => {
  const scene = new Scene();
  scene.failure = new Error('the store is gone');
  scene.takeOvers.start();
  await scene.look();
  expect(scene.reported).toContain(scene.failure);
  scene.failure = undefined;
  scene.running.set('a', undefined);
  await scene.look(1);
  expect(scene.taken).toEqual(['a']);
});

test('closed, it looks no more', async () => {
  const scene = new Scene();
  scene.takeOvers.start();
  await scene.look();
  await scene.takeOvers.close();
  const { looks } = scene;
  scene.running.set('a', undefined);
  scene.platform.pass(SCAN);
  await scene.platform.nextTurn();
  expect([scene.looks, scene.taken]).toEqual([looks, []]);
});
