import { lostJournalMembers } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { readOnlyJournal } from '../../src/past/read-only-journal.ts';

test('P4: a read-only journal passes on every member of its reader, the copies of the state too', async () => {
  expect(await lostJournalMembers(readOnlyJournal)).toEqual(['epoch', 'lost', 'append', 'saveSnapshot']);
});
