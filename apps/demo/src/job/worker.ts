import process from 'node:process';

import { modelFromEnvironment } from '@conv/agent';
import { isEvent } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import type { LocalConversation } from '@conv/local';
import { TerminalVisualizer } from '@conv/visualize';

import { atRest } from '../conversation/at-rest.ts';
import { onThisMachine } from '../conversation/conversation-factory.ts';
import { demoAgent } from '../conversation/demo-agent.ts';
import { riskAnalyzer } from '../conversation/safeguards.ts';
import { failureOf } from '../failure.ts';
import type { CallMessage, OpenRequest, WorkerCalls, WorkerMessage } from './worker-message.ts';

// The process that gets killed. It knows nothing of that: it opens a conversation, does what it is told, shows what
// happens, and reports each event to its parent once it is acknowledged.

let opened: LocalConversation | undefined;
let shown: TerminalVisualizer | undefined;

type Handlers = { readonly [Name in keyof WorkerCalls]: (argument: never) => Promise<ReturnType<WorkerCalls[Name]>> };

const handlers: Handlers = {
  async open(request: OpenRequest) {
    opened = await onThisMachine.open({
      id: request.id,
      create: request.create,
      agent: demoAgent(modelFromEnvironment()),
      workspace: request.workspace,
      persistenceDir: request.directory,
      title: 'Three facts about a repository',
      ...atRest(),
    });
    shown = new TerminalVisualizer({ maxOutputLines: 8 });
    shown.initialize(opened.state);
    const from = { from: toEventIndex(request.from) };
    opened.subscribe(shown, from);
    opened.subscribe({ onEvent: (event, index) => tell({ kind: 'acknowledged', event, index }) }, from);
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
  state: async () => conversation().state.fields,
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
    const { pendingActions, assessments } = conversation().state;
    return pendingActions.map((action) => ({ action, assessment: assessments[action.id] }));
  },
  async approve(ids: readonly string[]) {
    await conversation().approve(ids);
    return null;
  },
  async reject({ ids, reason }: { ids: readonly string[]; reason: string }) {
    await conversation().reject(ids, reason);
    return null;
  },
  async close() {
    await conversation().close();
    shown?.close();
    return null;
  },
};

process.on('message', (message: CallMessage) => {
  void answer(message);
});
// a parent that is gone gives no more orders
process.on('disconnect', () => process.exit());
// a terminal gives Ctrl-C to all its processes; the parent decides what it means
process.on('SIGINT', () => {});
// and what follows when nobody reads the output any more
process.stdout.on('error', () => {});

async function answer({ call, name, argument }: CallMessage): Promise<void> {
  try {
    tell({ kind: 'answer', call, value: await handlers[name](argument as never) });
  } catch (error) {
    tell({ kind: 'failure', call, message: failureOf(error).message });
  }
}

function tell(message: WorkerMessage): void {
  process.send?.(message);
}

function conversation(): LocalConversation {
  if (!opened) throw new Error('nothing is open');
  return opened;
}
