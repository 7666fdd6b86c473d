import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isConversationError } from '../../src/contract/errors/conversation-error.ts';
import { FifoLock, type LockHandle } from '../../src/engine/lock.ts';

const deadlock = (error: unknown): boolean => isConversationError(error, 'DEADLOCK');

test('the lock admits one holder at a time, in the order of the calls, however long each takes and ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean() }), { maxLength: 20 }),
      async (holders) => {
        const lock = new FifoLock();
        const order: number[] = [];
        let inside = 0;
        const all = holders.map(({ turns, fails }, at) =>
          lock.run(async () => {
            expect(++inside).toBe(1);
            order.push(at);
            for (let turn = 0; turn < turns; turn++) await Promise.resolve();
            inside--;
            if (fails) throw new Error(String(at));
            return at;
          }),
        );
        const results = await Promise.allSettled(all);
        expect(order).toEqual(holders.map((_, at) => at));
        expect(results.map(({ status }) => status === 'rejected')).toEqual(holders.map(({ fails }) => fails));
        expect(await lock.run(() => 'free')).toBe('free');
      },
    ),
  );
});

test('the holder enters again with its handle', async () => {
  const lock = new FifoLock();
  const value = await lock.run((handle) => lock.run((again) => lock.run(() => 'inside', again), handle));
  expect(value).toBe('inside');
});

test('asking again from inside without the handle rejects DEADLOCK, and the lock continues', async () => {
  const lock = new FifoLock();
  const rejection = await lock.run(() => lock.run(() => 'never').catch((error: unknown) => error));
  expect(deadlock(rejection)).toBe(true);
  expect(await lock.run(() => 'free')).toBe('free');
});

test('two locks do not hide each other, and asking for the outer one inside of both rejects DEADLOCK', async () => {
  const [outer, inner] = [new FifoLock(), new FifoLock()];
  const again = (): Promise<unknown> => outer.run(() => 'never').catch((error: unknown) => error);
  expect(deadlock(await outer.run(() => inner.run(again)))).toBe(true);
  expect(await outer.run(() => inner.run(() => 'both'))).toBe('both');
});

test('a task that outlives the locks it was started in asks for either of them', async () => {
  const [outer, inner] = [new FifoLock(), new FifoLock()];
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let started: Promise<string> | undefined;
  await outer.run(() =>
    inner.run(() => {
      started = released.then(() => outer.run(() => inner.run(() => 'later')));
    }),
  );
  release();
  expect(await started).toBe('later');
});

test('a task started inside may ask when the lock is free again, and does not own it', async () => {
  const lock = new FifoLock();
  let started: Promise<string> | undefined;
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await lock.run(() => {
    started = (async () => {
      await released;
      return lock.run(() => 'later');
    })();
  });
  const order: string[] = [];
  const other = lock.run(async () => {
    release();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    order.push('other');
  });
  order.push((await started) ?? '');
  await other;
  expect(order).toEqual(['other', 'later']);
});

test('a handle that was given back, or is of another lock, opens nothing', async () => {
  const [lock, other] = [new FifoLock(), new FifoLock()];
  let old: LockHandle | undefined;
  await lock.run((handle) => (old = handle));
  expect(old?.held).toBe(false);
  const order: string[] = [];
  const holding = lock.run(async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    order.push('holder');
  });
  await other.run(async (foreign) => {
    await Promise.all([lock.run(() => order.push('old'), old), lock.run(() => order.push('foreign'), foreign)]);
  });
  await holding;
  expect(order).toEqual(['holder', 'old', 'foreign']);
});
