import { eventTree, sequenceDiagram } from '@conv/visualize';

import type { PlaceOptions } from '../conversation/place.ts';
import type { ExitCode } from '../exit-code.ts';
import { readFrom } from '../server/read-there.ts';
import { print } from '../terminal/output.ts';
import { reportDamage } from './show.ts';

/** Options of `diagram`. */
export interface DiagramOptions extends PlaceOptions {
  readonly tree?: boolean;
}

/** Prints a Mermaid diagram of a conversation: who said and called what, or all branches of its events. */
export async function diagramCommand(id: string, options: DiagramOptions): Promise<ExitCode> {
  await using read = await readFrom(options, id);
  const { events, state } = read;
  const diagram = options.tree
    ? eventTree(await events.slice(), { head: state.leafEventId })
    : sequenceDiagram(await events.branch());
  print(diagram.trimEnd());
  return reportDamage(read);
}
