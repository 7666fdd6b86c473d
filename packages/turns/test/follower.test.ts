import { expect, test } from 'vitest';

import { branchItems, TurnFollower, type TurnChange } from '../src/index.ts';
import { answer, ask, Followed, told } from './support/followed.ts';

/** The words of the items among changes. */
const words = (changes: readonly TurnChange[]): readonly string[] =>
  changes.flatMap((change) => (change.type === 'item' ? [change.item.kind] : []));

test('P11: a follower that has caught up was given each event once, however often it was asked', async () => {
  const followed = new Followed();
  await followed.append(ask('Go'));
  const taken: TurnChange[] = [];
  const follower = new TurnFollower(followed.conversation, -1, (change) => void taken.push(change));
  await follower.caughtUp();
  expect(words(taken)).toEqual(['message']);
  await followed.append(answer('One.', 'one'));
  await Promise.all([follower.caughtUp(), follower.caughtUp()]);
  expect(words(taken)).toEqual(['message', 'answer']);
  follower.close();
  await follower.ended;
  await followed.append(answer('Two.', 'two'));
  await follower.caughtUp();
  expect(words(taken)).toEqual(['message', 'answer']);
});

test('P11: a follower that catches up goes on with the answer in progress', async () => {
  const followed = new Followed();
  await followed.append(ask('Go'));
  await followed.state.update({ set: { executionStatus: 'running' } });
  const taken: TurnChange[] = [];
  const follower = new TurnFollower(followed.conversation, 0, (change) => void taken.push(change));
  await follower.caughtUp();
  followed.say('Hel');
  await follower.caughtUp();
  followed.say('lo', { order: 1 });
  await followed.append(answer('Hello.'));
  await follower.caughtUp();
  const pieces = taken.map(told).filter((change) => !change.includes('running'));
  expect(pieces.slice(0, 3)).toEqual(['0: piece Hel', '0: piece lo', '1: answer Hello., 5 told']);
  follower.close();
});

test('a follower waits for its client, and ends with the error of its client', async () => {
  const followed = new Followed();
  await followed.append(ask('Go'), answer('One.', 'one'));
  const [first, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let taken = 0;
  const follower = new TurnFollower(followed.conversation, -1, async () => {
    taken += 1;
    first.resolve();
    await goOn.promise;
  });
  const caughtUp = follower.caughtUp();
  await first.promise;
  goOn.reject(new Error('the client has gone'));
  await expect(follower.ended).rejects.toThrow('the client has gone');
  await caughtUp;
  // a follower that does not wait gives the second item before it has caught up
  expect(taken).toBe(1);
});

test('P11: the items of a branch and what follows after the same event are the whole conversation', async () => {
  const followed = new Followed();
  const [first] = await followed.append(ask('Go'), answer('One.', 'one'));
  await followed.append(answer('Two.', 'two'));
  const { events } = followed.conversation;
  expect((await branchItems(events)).map(({ id }) => id)).toEqual([first?.id, 'one', 'two']);
  const before = await branchItems(events, 1);
  const after: TurnChange[] = [];
  const follower = new TurnFollower(followed.conversation, 1, (change) => void after.push(change));
  await follower.caughtUp();
  const followedItems = after.flatMap((change) => (change.type === 'item' ? [change.item.id] : []));
  expect([...before.map(({ id }) => id), ...followedItems]).toEqual([first?.id, 'one', 'two']);
  follower.close();
});
