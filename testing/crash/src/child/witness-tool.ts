import { setTimeout as sleep } from 'node:timers/promises';

import { defineTool, type Tool } from '@conv/core/tool';
import { z } from 'zod';

import type { LifePlan } from '../life-plan.ts';
import { report } from '../report.ts';
import { testify } from '../witness.ts';
import { strikeSelf } from './strike-self.ts';

/** A tool that records its beginning and end outside the store, and may be struck in between. */
export function witnessTool(plan: LifePlan): Tool {
  const strike = plan.strike?.at === 'tool' ? plan.strike : undefined;
  let calls = 0;
  return defineTool({
    name: 'witness',
    description: 'Notes its beginning and its end in a file.',
    input: z.object({ milliseconds: z.number().int().min(0), deaf: z.boolean() }),
    resources: () => [],
    execute: async ({ milliseconds, deaf }, { signal, toolCallId }) => {
      testify(plan.witness, 'start', toolCallId, plan.life);
      report({ kind: 'tool' });
      if (++calls === strike?.call) strikeSelf(strike.signal);
      await sleep(milliseconds, undefined, deaf ? {} : { signal });
      testify(plan.witness, 'end', toolCallId, plan.life);
      return `${toolCallId} was here`;
    },
  });
}
