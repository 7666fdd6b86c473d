import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';

test('the entry exports these names', () => {
  expect(Object.keys(entry).toSorted()).toEqual([
    'BACKTICK_MODEL',
    'call',
    'calls',
    'createModelServer',
    'drop',
    'fail',
    'hang',
    'lastUserText',
    'nonsense',
    'say',
    'startBacktickModel',
    'toolResults',
  ]);
});
