import { fieldsOf, riskAnalyzer } from '@conv/cli/parts';
import { isEvent } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import type { LocalConversation } from '@conv/local';
import type { RemoteConversation } from '@conv/remote';
import { TerminalVisualizer } from '@conv/visualize';

import type { Acknowledged } from './job-worker.ts';
import type { OpenRequest, WorkerCalls } from './worker-message.ts';

/** Handlers of a worker's calls. */
export type WorkerHandlers = {
  readonly [Name in keyof WorkerCalls]: (argument: never) => Promise<ReturnType<WorkerCalls[Name]>>;
};

type Held = LocalConversation | RemoteConversation;

/** Dependencies of a worker: it opens its conversation and reports events with them. */
export interface WorkerParts {
  readonly open: (request: OpenRequest) => Promise<Held>;
  readonly tell: (acknowledged: Acknowledged) => void;
}

/** Opens one conversation, executes the parent's calls on it, shows its events, and reports each event once it is acknowledged. */
export function workerHandlers({ open, tell }: WorkerParts): WorkerHandlers {
  let opened: Held | undefined;
  let shown: TerminalVisualizer | undefined;
  const conversation = (): Held => {
    if (!opened) throw new Error('no conversation is open');
    return opened;
  };
  return {
    async open(request: OpenRequest) {
      opened = await open(request);
      shown = new TerminalVisualizer({ maxOutputLines: 8 });
      shown.initialize(opened.state);
      const from = { from: toEventIndex(request.from) };
      opened.subscribe(shown, from);
      opened.subscribe({ onEvent: (event, index) => tell({ event, index }) }, from);
      return { status: opened.state.executionStatus };
    },
    send: async (text: string) => ({ id: (await conversation().sendMessage(text)).id }),
    async run(pauseAfter?: string) {
      const pausing = conversation().subscribe(async (event) => {
        if (isEvent(event, 'ActionEvent') && event.tool_name === pauseAfter) await conversation().pause();
      });
      const { status } = await conversation().run();
      pausing.unsubscribe();
      return { status };
    },
    fork: async (options: { from: string; title: string }) => ({ id: await conversation().history.fork(options) }),
    answer: async () => ({ text: await conversation().finalResponse() }),
    state: async () => fieldsOf(conversation().state),
    async close() {
      await conversation().close();
      shown?.close();
      return null;
    },
    ...decidingHandlers(conversation),
  };
}

type Deciding = 'secrets' | 'askFirst' | 'pending' | 'approve' | 'reject';

function decidingHandlers(conversation: () => Held): Pick<WorkerHandlers, Deciding> {
  return {
    async secrets(values: Readonly<Record<string, string>>) {
      await conversation().settings.updateSecrets(values);
      return null;
    },
    async askFirst() {
      await conversation().settings.setSecurityAnalyzer(riskAnalyzer());
      await conversation().settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
      return null;
    },
    async pending() {
      return conversation().state.pendingActions;
    },
    async approve(ids: readonly string[]) {
      await conversation().approve(ids);
      return null;
    },
    async reject({ ids, reason }: { ids: readonly string[]; reason: string }) {
      await conversation().reject(ids, reason);
      return null;
    },
  };
}
