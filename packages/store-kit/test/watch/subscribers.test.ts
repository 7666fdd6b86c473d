import { expect, test } from 'vitest';

import { Subscribers } from '../../src/index.ts';

test('callbacks are called for their own key, until they are removed', () => {
  const subscribers = new Subscribers<string>();
  const told: string[] = [];
  const removeFirst = subscribers.add('a', () => void told.push('first'));
  const removeSecond = subscribers.add('a', () => void told.push('second'));
  subscribers.add('b', () => void told.push('other'));
  subscribers.tell('a');
  subscribers.tell('unknown');
  expect(told).toEqual(['first', 'second']);
  removeFirst();
  removeFirst();
  subscribers.tell('a');
  expect(told).toEqual(['first', 'second', 'second']);
  removeSecond();
  expect(subscribers.keys()).toEqual(['b']);
});

test('removing a callback twice does not remove a later callback of its key', () => {
  const subscribers = new Subscribers<number>();
  const remove = subscribers.add(1, () => {});
  remove();
  let told = 0;
  subscribers.add(1, () => void told++);
  remove();
  subscribers.tell(1);
  expect(told).toBe(1);
  expect(subscribers.size).toBe(1);
});
