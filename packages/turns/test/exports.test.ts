import { expect, test } from 'vitest';
import * as offered from '../src/index.ts';

test('the package offers exactly these values', () => {
  expect(Object.keys(offered).toSorted()).toEqual([
    'ClientRuns',
    'Questions',
    'TurnFollower',
    'TurnView',
    'answerRun',
    'argumentsOf',
    'branchItems',
    'checkMessage',
    'eventStreamResponse',
    'isClientCall',
    'isFinish',
    'messageEventId',
    'numbered',
    'refusalStatus',
    'rest',
    'takeRequest',
    'turnBehind',
    'turnItems',
    'turnStart',
    'turns',
    'untilRest',
    'waitsForClient',
    'waitsForPerson',
  ]);
});
