import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';

import { describeAction, plain } from '@conv/cli/parts';
import { errorText, type StateFields } from '@conv/core';
import { eventTree, sequenceDiagram } from '@conv/visualize';

import type { Killed } from './act-kill.ts';
import { repositoryRoot } from './copy-repository.ts';
import type { Stage } from './stage.ts';

/** Facts about a played job. */
export interface Performance {
  readonly killed: Killed;
  readonly state: StateFields;
  readonly seconds: number;
  /** The name of the conversation's writer, for people. */
  readonly by: string;
  /** The name of the file for its diagrams. */
  readonly diagrams: string;
}

/** Prints the summary: the cost, what was recovered, and if every claim holds. Resolves with true if all hold. */
export async function summarize(stage: Stage, { killed, state, seconds, by, diagrams }: Performance): Promise<boolean> {
  const { narrator, chosen } = stage;
  const { violations } = chosen;
  if (chosen.url !== undefined) {
    const found = violations.map(({ message }) => message).join('; ');
    narrator.claim({
      text: 'no request to the model violated its protocol',
      holds: violations.length === 0,
      found,
    });
  }
  const events = await stage.storedEvents();
  const broken = narrator.claims.filter(({ holds }) => !holds);
  await narrator.act('What happened');
  narrator.fact('events', `${events.length}, in one conversation, by ${by}`);
  narrator.fact('recovered', recoveredText(killed));
  narrator.fact('spent', spentText(state, chosen.url !== undefined));
  narrator.fact('time', `${seconds.toFixed(1)} s`);
  narrator.fact('diagram', await writeDiagrams(stage, diagrams));
  narrator.fact(
    'claims',
    broken.length === 0
      ? narrator.strong(`all ${narrator.claims.length} hold`)
      : `${broken.length} of ${narrator.claims.length} are wrong`,
  );
  for (const { text, found } of broken) narrator.say(`✗ ${text}${found === undefined ? '' : ` (found: ${found})`}`);
  return broken.length === 0;
}

function recoveredText({ acknowledged, call }: Killed): string {
  const command = call === undefined ? 'none' : plain(describeAction(call), 60);
  return `${acknowledged} events of the killed process, and the fact that one call was cut off: ${command}`;
}

function spentText({ stats }: StateFields, scripted: boolean): string {
  let [calls, input, output, cost] = [0, 0, 0, 0];
  for (const usage of Object.values(stats)) {
    calls += usage.calls;
    input += usage.promptTokens;
    output += usage.completionTokens;
    cost += usage.cost;
  }
  const count = new Intl.NumberFormat('en-US');
  const price = scripted ? '$0, because a script is free' : `$${cost.toFixed(4)}`;
  return `${calls} model calls, ${count.format(input)} tokens in, ${count.format(output)} out, ${price}`;
}

async function writeDiagrams(stage: Stage, name: string): Promise<string> {
  const events = await stage.storedEvents();
  const folder = join(repositoryRoot, 'workspace');
  const file = join(folder, name);
  const diagrams = [sequenceDiagram(events), eventTree(events)].map((diagram) => `\`\`\`mermaid\n${diagram}\`\`\`\n`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `# The scripted job\n\n${diagrams.join('\n')}`);
  } catch (error) {
    return `not written: ${errorText(error)}`;
  }
  return `${relative(process.cwd(), file)} (Mermaid, for any Markdown preview)`;
}
