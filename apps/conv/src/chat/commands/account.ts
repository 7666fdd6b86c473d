import type { StateFields } from '@conv/core';
import { plainLine } from '@conv/visualize/text';
import { timeline } from '@conv/visualize/timeline';

import { count, price } from '../session/status-facts.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows what the conversation has cost, for each use of a model. */
export const cost: SlashCommand = {
  name: 'cost',
  about: 'show tokens, cost and limits',
  run({ session }) {
    const { state } = session.conversation;
    const uses = Object.entries(state.stats).filter(([, { calls }]) => calls > 0);
    if (uses.length === 0) session.note('no model has been asked yet');
    for (const [usage, { modelName, calls, promptTokens, completionTokens, cacheReadTokens, cost: dollars }] of uses) {
      const cached = cacheReadTokens > 0 ? ` (${count(cacheReadTokens)} cached)` : '';
      session.tell(
        plainLine(`  ${modelName} (${usage}): ${calls} ${calls === 1 ? 'call' : 'calls'}, ${price(dollars)}`),
        `    ${count(promptTokens)} tokens in${cached}, ${count(completionTokens)} out`,
      );
    }
    if (uses.length > 1) session.note(`together ${price(state.metrics.totalCost)}`);
    session.note(limitsText(state));
    return Promise.resolve();
  },
};

/** Shows the files that the agent has written. */
export const files: SlashCommand = {
  name: 'files',
  about: 'list the files that the agent wrote',
  async run({ session }) {
    const branch = await session.conversation.events.branch();
    const written = new Map<string, Map<string, number>>();
    for (const block of timeline(branch.map((event, index) => ({ index, event })))) {
      if (block.kind !== 'call' || block.content?.kind !== 'file' || block.content.verb === 'view') continue;
      if (block.result?.outcome !== 'ok') continue;
      const { path, verb } = block.content;
      const verbs = written.get(path) ?? new Map<string, number>();
      written.set(path, verbs.set(verb, (verbs.get(verb) ?? 0) + 1));
    }
    if (written.size === 0) session.note('the agent wrote no file with its editor; commands may have written some');
    for (const [path, verbs] of written) {
      const what = [...verbs].map(([verb, times]) => (times === 1 ? verb : `${verb} ${times}×`));
      session.tell(`  ${plainLine(path)}  ${what.join(', ')}`);
    }
  },
};

function limitsText({ maxIterations, maxBudgetPerRun, maxBudget }: StateFields): string {
  const limits = [`${maxIterations} answers a run`];
  if (maxBudgetPerRun !== null) limits.push(`${price(maxBudgetPerRun)} a run`);
  if (maxBudget !== null) limits.push(`${price(maxBudget)} in all`);
  return `limits: ${limits.join(', ')}`;
}
