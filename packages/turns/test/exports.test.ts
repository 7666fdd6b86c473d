import { expect, test } from 'vitest';
import * as offered from '../src/index.ts';

test('the package offers exactly these values', () => {
  expect(Object.keys(offered).toSorted()).toEqual([
    'ClientRuns',
    'Questions',
    'TurnFollower',
    'TurnView',
    'activeRun',
    'allowsMore',
    'answerRun',
    'approvalFor',
    'approveAlways',
    'argumentsOf',
    'askAgain',
    'branchItems',
    'checkMessage',
    'eventStreamResponse',
    'foundOrMade',
    'isClientCall',
    'isFinish',
    'kindOf',
    'kindText',
    'messageEventId',
    'numbered',
    'refusalStatus',
    'rest',
    'standingApprovals',
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
