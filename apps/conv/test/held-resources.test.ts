import { expect, test } from 'vitest';

import { HeldResources } from '../src/held-resources.ts';

/** Returns a resource that notes its name when it is disposed of, and then may fail. */
function resource(name: string, closed: string[], error?: Error): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      closed.push(name);
      if (error) throw error;
    },
  };
}

test('held resources are disposed of once, the last one first', async () => {
  const closed: string[] = [];
  const held = new HeldResources();
  for (const name of ['a', 'b', 'c']) held.use(resource(name, closed));
  for (let time = 0; time < 2; time++) await held[Symbol.asyncDispose]();
  expect(closed).toEqual(['c', 'b', 'a']);
});

test('resources that were moved stay open until their new holder is disposed of', async () => {
  const closed: string[] = [];
  const held = new HeldResources();
  held.use(resource('a', closed));
  const moved = held.move();
  await held[Symbol.asyncDispose]();
  expect(closed).toEqual([]);
  await moved[Symbol.asyncDispose]();
  expect(closed).toEqual(['a']);
});

test('a resource that cannot be closed keeps no other one open', async () => {
  const closed: string[] = [];
  const one = new HeldResources();
  one.use(resource('a', closed));
  one.use(resource('b', closed, new Error('b is stuck')));
  await expect(one[Symbol.asyncDispose]()).rejects.toThrow('b is stuck');
  expect(closed).toEqual(['b', 'a']);
  const two = new HeldResources();
  for (const name of ['c', 'd']) two.use(resource(name, closed, new Error(`${name} is stuck`)));
  await expect(two[Symbol.asyncDispose]()).rejects.toMatchObject({
    errors: [{ message: 'd is stuck' }, { message: 'c is stuck' }],
  });
});
