import { eventTree, sequenceDiagram } from '@conv/visualize';

import { readConversation } from '../conversation/stored-conversation.ts';
import type { ExitCode } from '../exit-code.ts';
import { print } from '../terminal/output.ts';
import { reportDamage } from './show.ts';

/** Options of `diagram`. */
export interface DiagramOptions {
  readonly dir: string;
  readonly tree?: boolean;
}

/** Prints a Mermaid diagram of a conversation: who said and called what, or all branches of its events. */
export async function diagramCommand(id: string, options: DiagramOptions): Promise<ExitCode> {
  await using stored = await readConversation(options.dir, id);
  const { events, leafEventId } = stored.state;
  const diagram = options.tree
    ? eventTree(await events.slice(), { head: leafEventId })
    : sequenceDiagram(await events.branch());
  print(diagram.trimEnd());
  return reportDamage(stored);
}
