import { answeringCases } from './answering-cases.ts';
import { approvalCases } from './approval-cases.ts';
import type { ConversationConformanceCase } from './conversation-under-test.ts';
import { clientToolCases } from './client-tool-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { condensingCases } from './condensing-cases.ts';
import { controlCases } from './control-cases.ts';
import { editCases } from './edit-cases.ts';
import { followingCases } from './following-cases.ts';
import { goalCases } from './goal-cases.ts';
import { historyCases } from './history-cases.ts';
import { messageCases } from './message-cases.ts';
import { modelCases } from './model-cases.ts';
import { optionCases } from './option-cases.ts';
import { ownToolCases } from './own-tool-cases.ts';
import { pastCases } from './past-cases.ts';
import { readingCases } from './reading-cases.ts';
import { rerunCases } from './rerun-cases.ts';
import { resourceCases } from './resource-cases.ts';
import { settingCases } from './setting-cases.ts';
import { stoppingCases } from './stopping-cases.ts';
import { titleCases } from './title-cases.ts';

/** The cases for every `Conversation`, wherever its agent runs. They need no test runner; see `applicableCases`. */
export const conversationConformance: readonly ConversationConformanceCase[] = [
  ...answeringCases,
  ...messageCases,
  ...approvalCases,
  ...editCases,
  ...controlCases,
  ...stoppingCases,
  ...concurrencyCases,
  ...clientToolCases,
  ...ownToolCases,
  ...readingCases,
  ...historyCases,
  ...pastCases,
  ...rerunCases,
  ...condensingCases,
  ...modelCases,
  ...goalCases,
  ...titleCases,
  ...optionCases,
  ...followingCases,
  ...settingCases,
  ...resourceCases,
];
