import { applicableCases, conversationConformance } from '@conv/conformance';
import { test } from 'vitest';

import { features, makeConversation } from './support/conversation-under-test.ts';

const make = makeConversation;

for (const { name, run } of applicableCases(conversationConformance, features))
  test(name, () => run({ make, waitTimeout: 60_000 }));
