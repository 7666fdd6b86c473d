import { isEvent } from '@conv/core/events';
import { TerminalText } from '@conv/visualize/react';
import type { CallBlock } from '@conv/visualize/timeline';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { LiveOutputs } from './live-outputs.ts';

/** Properties of {@link LiveOutputView}. */
export interface LiveOutputViewProps {
  readonly block: CallBlock;
  readonly outputs: LiveOutputs;
}

/** Lines of the end that are shown. */
const LINES = 12;

/** Shows the end of what the tool of a call prints while it runs; nothing before it prints, and once its result is there. */
export function LiveOutputView({ block, outputs }: LiveOutputViewProps): ReactElement | null {
  const call = waitingCall(block);
  const text = useSyncExternalStore(
    (listener) => outputs.subscribe(listener),
    () => (call === undefined ? '' : outputs.of(call)),
  );
  if (text === '') return null;
  return (
    <section className="cv-output" aria-label="Output so far">
      <span className="cv-writing conv-quiet small">is running</span>
      <TerminalText text={text.trimEnd().split('\n').slice(-LINES).join('\n')} />
    </section>
  );
}

/** Returns the id that the model gave to the call of a block; `undefined` once its result is there. */
function waitingCall({ result, events }: CallBlock): string | undefined {
  const action = events[0]?.event;
  return !result && action && isEvent(action, 'ActionEvent') ? action.tool_call_id : undefined;
}
