import { AssertionError } from 'node:assert/strict';

import {
  applicableCases,
  conversationConformance,
  type ConversationConformanceCase,
  type ConversationScript,
  type ConversationUnderTest,
} from '@conv/conformance';
import { afterAll, describe, expect, test } from 'vitest';

import { features, makeConversation } from './support/conversation-under-test.ts';
import { flawedDeciding } from './support/flawed-conversations/deciding.ts';
import { flawedFollowing } from './support/flawed-conversations/following.ts';
import { flawedKeeping } from './support/flawed-conversations/keeping.ts';
import { abandoned, flawedReading } from './support/flawed-conversations/reading.ts';

const cases = applicableCases(conversationConformance, features);
const flaws = [...flawedFollowing, ...flawedDeciding, ...flawedKeeping, ...flawedReading];

/** The case of the suite with this name. */
function caseOf(wanted: string): ConversationConformanceCase {
  const found = cases.find(({ name }) => name === wanted);
  if (!found) throw new TypeError(`the suite has no case "${wanted}"`);
  return found;
}

afterAll(() => abandoned.forEach((timer) => clearInterval(timer)));

describe('the suite catches a conversation that', () => {
  for (const { flaw, caughtBy, change } of flaws) {
    test(flaw, async () => {
      const make = (script: ConversationScript): Promise<ConversationUnderTest> => makeConversation(script, change);
      const checked = caseOf(caughtBy).run({ make, waitTimeout: 2_000 });
      await expect(checked).rejects.toBeInstanceOf(AssertionError);
    });
  }
});

test('every flawed conversation has a flaw of its own', () => {
  expect(new Set(flaws.map(({ flaw }) => flaw)).size).toBe(flaws.length);
  expect(flaws.length).toBeGreaterThanOrEqual(50);
});
