import process from 'node:process';

import { modelFromEnvironment } from '@conv/agent';
import { atRest, failureOf, onThisMachine, programAgent } from '@conv/cli/parts';

import { JOB_TITLE } from './task.ts';
import { workerHandlers } from './worker-handlers.ts';
import type { CallMessage, WorkerMessage } from './worker-message.ts';

// The process that gets killed, without any preparation for it: it opens a conversation, executes the calls of its parent, shows
// events, and reports each event once it is acknowledged.

const handlers = workerHandlers({
  open: ({ id, create, workspace, directory }) =>
    onThisMachine.open({
      id,
      create,
      agent: programAgent(modelFromEnvironment()),
      workspace,
      persistenceDir: directory,
      title: JOB_TITLE,
      ...atRest(),
    }),
  tell: (acknowledged) => tell({ kind: 'acknowledged', ...acknowledged }),
});

process.on('message', (message: CallMessage) => {
  void answer(message);
});
// end when the parent has ended, because no more calls can come
process.on('disconnect', () => process.exit());
// a terminal gives Ctrl-C to all its processes; the parent decides what it means
process.on('SIGINT', () => {});
// and ignore errors when the output has no reader any more
process.stdout.on('error', () => {});

async function answer({ call, name, argument }: CallMessage): Promise<void> {
  try {
    tell({ kind: 'answer', call, value: await handlers[name](argument as never) });
  } catch (error) {
    const { message } = await failureOf(error);
    tell({ kind: 'failure', call, message });
  }
}

function tell(message: WorkerMessage): void {
  process.send?.(message);
}
