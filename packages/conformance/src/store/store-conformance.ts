import { checkingCases } from './checking-cases.ts';
import { deletingCases } from './deleting-cases.ts';
import { forkingCases } from './forking-cases.ts';
import { lifetimeCases } from './lifetime-cases.ts';
import { lateWriteCases } from './late-write-cases.ts';
import { listingCases } from './listing-cases.ts';
import { lostAnswerCases } from './lost-answer-cases.ts';
import { ownershipCases } from './ownership-cases.ts';
import { readingCases } from './reading-cases.ts';
import type { StoreConformanceCase } from './store-under-test.ts';
import { resourceCases } from './resource-cases.ts';
import { watchingCases } from './watching-cases.ts';
import { writingCases } from './writing-cases.ts';

/**
 * The cases for every `ConversationStore`. Run them against the real thing: files, a server that speaks the protocol.
 * They need no test runner; see `applicableCases` for how to hand them to one.
 */
export const storeConformance: readonly StoreConformanceCase[] = [
  ...writingCases,
  ...lostAnswerCases,
  ...lateWriteCases,
  ...readingCases,
  ...watchingCases,
  ...ownershipCases,
  ...listingCases,
  ...forkingCases,
  ...deletingCases,
  ...checkingCases,
  ...lifetimeCases,
  ...resourceCases,
];
