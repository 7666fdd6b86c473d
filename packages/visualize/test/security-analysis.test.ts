import { expect, test } from 'vitest';

import { timeline } from '../src/timeline/timeline.ts';
import { eventTree, sequenceDiagram } from '../src/index.ts';
import { Log } from './log.ts';
import { show } from './show.ts';

const { events } = new Log()
  .user('Clean up')
  .shell('c1', 'rm -rf build', { security_risk: 'HIGH' })
  .add('SecurityAnalysisEvent', 'environment', {
    analyzer: 'LLMSecurityAnalyzer',
    policy: 'ConfirmRisky',
    risks: { a: 'HIGH', b: 'A_RISK_OF_TOMORROW' },
  });

test('the ratings of an analyzer are shown in a terminal, a timeline and diagrams', async () => {
  expect(await show(events)).toContain('rated by LLMSecurityAnalyzer · HIGH, A_RISK_OF_TOMORROW');
  const blocks = timeline(events.map((event, index) => ({ event, index })));
  expect(blocks.at(-1)).toMatchObject({ kind: 'notice', text: 'HIGH, A_RISK_OF_TOMORROW' });
  expect(eventTree(events)).toContain('rated HIGH, A');
  expect(sequenceDiagram(events)).toContain('rated HIGH, A');
});
