import type { TimelineBlock } from '@conv/visualize/timeline';

/** An arrow of a sequence diagram. */
export interface SequenceStep {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The number of the event. */
  readonly event: number;
  readonly tone: 'normal' | 'good' | 'bad';
}

/**
 * Returns the lanes and the arrows of a sequence diagram of these blocks. The `most` tools with the most calls have a lane each. Calls of
 * other tools share one, and name their tool.
 */
export function sequenceSteps(
  blocks: readonly TimelineBlock[],
  most: number,
): {
  readonly lanes: readonly string[];
  readonly steps: readonly SequenceStep[];
} {
  const tools = toolsOf(blocks, most);
  const shared = most === 0 ? 'Tools' : 'Other tools';
  const laneOf = (tool: string): string => (tools.includes(tool) ? tool : shared);
  const steps = blocks.flatMap((block): SequenceStep[] => {
    const event = block.index;
    switch (block.kind) {
      case 'message': {
        const [from, to] = block.from === 'user' ? ['Person', 'Agent'] : ['Agent', 'Person'];
        return [{ from, to, text: lineOf(block.text), event, tone: 'normal' }];
      }
      case 'call': {
        if (block.content?.kind === 'finish')
          return [{ from: 'Agent', to: 'Person', text: lineOf(block.content.text), event, tone: 'good' }];
        const lane = block.result?.child === undefined ? laneOf(block.toolName) : 'Sub-agent';
        const asked: SequenceStep = {
          from: 'Agent',
          to: lane,
          text: lineOf(lane === shared ? `${block.toolName} ${block.title}` : block.title || block.toolName),
          event,
          tone: 'normal',
        };
        const { result } = block;
        if (!result) return [asked];
        const tone = result.outcome === 'ok' || result.outcome === 'going' ? 'good' : 'bad';
        return [
          asked,
          {
            from: lane,
            to: 'Agent',
            text: result.outcome === 'ok' ? 'ok' : lineOf(result.outcome),
            event: block.events.at(-1)?.index ?? event,
            tone,
          },
        ];
      }
      case 'error':
        return [{ from: 'Agent', to: 'Agent', text: lineOf(block.code), event, tone: 'bad' }];
      case 'condensation':
        return [{ from: 'Agent', to: 'Agent', text: 'condensed', event, tone: 'normal' }];
      case 'hook':
      case 'notice':
        return [];
    }
  });
  const used = new Set(steps.flatMap(({ from, to }) => [from, to]));
  const lanes = ['Person', 'Agent', 'Sub-agent', ...tools, shared].filter((lane) => used.has(lane));
  return { lanes, steps };
}

function toolsOf(blocks: readonly TimelineBlock[], most: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const block of blocks)
    if (block.kind === 'call') counts.set(block.toolName, (counts.get(block.toolName) ?? 0) + 1);
  return [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, most)
    .map(([name]) => name);
}

function lineOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
}
