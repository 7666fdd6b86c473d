// A page of AG-UI with the published client: text as it is written, calls with their results, and interrupts to decide on.
import { HttpAgent } from '@ag-ui/client';

import { draw, id, onMessage } from './draw.js';

const agent = new HttpAgent({ url: '/agent', threadId: id });
agent.subscribe({ onMessagesChanged: show, onStateChanged: show, onRunFinalized: show });
onMessage((content) => {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  void run();
});
// without news the run brings the thread
await run();

/** Runs, and comes back when the connection is lost. The messages that it has make a repetition harmless. */
async function run(parameters = {}) {
  for (let wait = 100; ; wait = Math.min(2 * wait, 2000)) {
    const isOver = await agent.runAgent(parameters).then(
      () => true,
      () => false,
    );
    show();
    if (isOver) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function decide(approved) {
  const resume = agent.pendingInterrupts.map(({ id: interruptId }) => ({
    interruptId,
    status: 'resolved',
    payload: { approved },
  }));
  void run({ resume });
}

function show() {
  const results = new Map(
    agent.messages.flatMap(({ toolCallId, content }) => (toolCallId ? [[toolCallId, content]] : [])),
  );
  draw({
    lines: agent.messages.flatMap(({ role, content, toolCalls = [] }) => [
      ...(typeof content === 'string' && content !== '' && role !== 'tool' ? [{ kind: role, text: content }] : []),
      ...toolCalls.map((call) => ({ kind: 'call', text: `${call.function.name}: ${textOf(results.get(call.id))}` })),
    ]),
    asks: agent.pendingInterrupts.map(({ message }) => ({ text: message, decide })),
    status: agent.isRunning ? 'running' : (agent.state?.conversation?.status ?? 'ready'),
  });
}

function textOf(result) {
  if (result === undefined) return 'open';
  return typeof result === 'string' ? result : JSON.stringify(result);
}
