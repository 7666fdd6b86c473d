import { plainLine } from '@conv/visualize/text';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { type CSSProperties, type ReactElement, useMemo, useSyncExternalStore } from 'react';
import { type SequenceStep, sequenceSteps } from './sequence-steps.ts';

/** Arrows that are drawn: the newest ones. */
const MOST = 80;

/** Lanes beside those of tools: the person, the agent and its sub-agents. */
const OTHERS = 3;

/** Pixels that the name of a lane needs, and the most lanes of tools: more are hard to tell apart. */
const [LANE, MOST_TOOLS] = [120, 5];

/** Shows blocks as a sequence diagram: a list of steps with an arrow each. Tools share a lane where there is no room for all of them. */
export function SequenceDiagram({
  blocks,
  onEvent,
}: {
  readonly blocks: readonly TimelineBlock[];
  readonly onEvent: (event: number) => void;
}): ReactElement {
  const tools = useSyncExternalStore(onResize, toolLanes);
  const { lanes, steps } = useMemo(() => sequenceSteps(blocks, tools), [blocks, tools]);
  const style = { '--lanes': lanes.length } as CSSProperties;
  return (
    <div className="un-sequence" tabIndex={0} role="group" aria-label="Sequence diagram" style={style}>
      <div className="un-lanes" aria-hidden="true">
        {lanes.map((lane) => (
          <span key={lane}>{plainLine(lane)}</span>
        ))}
      </div>
      <ol>
        {steps.slice(-MOST).map((step, row) => (
          <Step key={row} step={step} from={lanes.indexOf(step.from)} to={lanes.indexOf(step.to)} onEvent={onEvent} />
        ))}
      </ol>
    </div>
  );
}

function Step({
  step,
  from,
  to,
  onEvent,
}: {
  readonly step: SequenceStep;
  readonly from: number;
  readonly to: number;
  readonly onEvent: (event: number) => void;
}): ReactElement {
  const style = { '--left': Math.min(from, to), '--span': Math.abs(from - to) } as CSSProperties;
  const direction = from === to ? 'none' : to > from ? 'right' : 'left';
  return (
    <li data-tone={step.tone} data-direction={direction} style={style}>
      <button type="button" title={`Event ${step.event}`} onClick={() => onEvent(step.event)}>
        <span className="hidden">
          {plainLine(step.from)} to {plainLine(step.to)}:{' '}
        </span>
        {plainLine(step.text)}
      </button>
    </li>
  );
}

/** Returns the number of tools that have room for a lane of their own. */
function toolLanes(): number {
  return Math.max(0, Math.min(MOST_TOOLS, Math.floor(innerWidth / LANE) - OTHERS));
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener);
  return () => removeEventListener('resize', listener);
}
