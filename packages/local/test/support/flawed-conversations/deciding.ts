import { randomUUID } from 'node:crypto';

import { flaw, without, type Flaw } from './flaw.ts';

export const flawedDeciding: readonly Flaw[] = [
  flaw(
    'approves everything when one call is approved',
    'P10: a run executes the calls that were approved by name, and the others wait on',
    (conversation) => ({ approve: () => conversation.approve() }),
  ),
  flaw(
    'approves a call as the model made it, whatever the person edited',
    'P3: an edited call is rejected and runs once with its new arguments, in one approval',
    (conversation) => ({ approve: (ids) => conversation.approve(ids) }),
  ),
  flaw(
    'ignores edits that are wrong, and approves the rest',
    'edited arguments that the tool does not take are refused by name, and nothing changes',
    (conversation) => ({
      approve: (ids, options) => conversation.approve(ids, options).catch(() => conversation.approve(ids)),
    }),
  ),
  flaw(
    'approves in every run',
    'P10: a run that approves nothing does not begin while calls wait, and begins after a message',
    (conversation) => ({ run: (options) => conversation.run(without(options, 'approves')) }),
  ),
  flaw('forgets which call was approved', 'one call can be approved and another one rejected', (conversation) => ({
    approve: async (ids) => {
      if (ids?.some((id) => !conversation.state.pendingActions.some((action) => action.id === id)))
        await conversation.approve(ids);
    },
    run: async (options) => {
      if (conversation.state.pendingActions.length === 1) await conversation.reject();
      return conversation.run(options);
    },
  })),
  flaw(
    'ignores ids that it does not know when some are approved',
    'approving or rejecting an action that is not pending rejects UNKNOWN_ACTION and changes nothing',
    (conversation) => ({ approve: (ids) => conversation.approve(ids).catch(() => {}) }),
  ),
  flaw(
    'rejects everything when one call is rejected',
    'rejecting one of two keeps the other one waiting',
    (conversation) => ({ reject: (_, reason) => conversation.reject(undefined, reason) }),
  ),
  flaw('drops the reason of a rejection', 'one call can be approved and another one rejected', (conversation) => ({
    reject: (ids) => conversation.reject(ids),
  })),
  flaw(
    'takes a laxer policy for an approval of what waits',
    'a laxer policy while waiting approves nothing by itself',
    (conversation) => ({
      settings: {
        setConfirmationPolicy: async (policy) => {
          await conversation.settings.setConfirmationPolicy(policy);
          if (policy.kind === 'NeverConfirm') await conversation.run();
        },
      },
    }),
  ),
  flaw(
    'runs what waits when a message is sent',
    'P10: a message while waiting rejects what is pending first',
    (conversation) => ({
      sendMessage: async (message, options) => {
        if (conversation.state.executionStatus === 'waiting_for_confirmation') await conversation.run();
        return conversation.sendMessage(message, options);
      },
    }),
  ),
  flaw(
    'records a pause after it was acknowledged',
    'pausing an idle conversation twice makes one event, and pausing a finished one none',
    (conversation) => ({
      pause: async () => {
        setTimeout(() => void conversation.pause().catch(() => {}), 50);
      },
    }),
  ),
  flaw(
    'acknowledges an interruption while the run goes on',
    'a run has returned and its calls have results when its interruption is acknowledged',
    (conversation) => ({
      interrupt: async () => {
        conversation.interrupt().catch(() => {});
      },
    }),
  ),
  flaw('does not hand the signal of a run on', 'the signal of a run interrupts it', (conversation) => ({
    run: (options) => conversation.run(without(options, 'signal')),
  })),
  flaw(
    'waits for the run that is at work instead of refusing a second one',
    'a second run during a run rejects BUSY, and the first continues',
    (conversation) => {
      let running: ReturnType<typeof conversation.run> | undefined;
      return {
        run: (options) => (running ??= conversation.run(options).finally(() => (running = undefined))),
      };
    },
  ),
  flaw(
    'ignores the limit that a run is given',
    'a run may be given fewer responses than its conversation allows',
    (conversation) => ({ run: (options) => conversation.run(without(options, 'maxIterations')) }),
  ),
  flaw(
    'counts the responses of all runs in the result of each',
    'a run after the end without a new message asks nothing and writes nothing',
    (conversation) => {
      let all = 0;
      return {
        run: async (options) => {
          const result = await conversation.run(options);
          return { ...result, iterations: (all += result.iterations) };
        },
      };
    },
  ),
  flaw(
    'leaves out why a run has ended',
    'the limit of responses ends a run in an error that the log names, and the next run continues',
    (conversation) => ({
      run: async (options) => {
        const { status, iterations } = await conversation.run(options);
        return { status, iterations };
      },
    }),
  ),
  flaw(
    'makes ids of its own for messages',
    'a message is sent once under its id, and another text under this id rejects INVALID_INPUT',
    (conversation) => ({
      sendMessage: (message, options) => conversation.sendMessage(message, { ...options, id: randomUUID() }),
    }),
  ),
  flaw(
    'keeps a side question waiting until the run has ended',
    'P8: a side question during a call is answered, and the run continues',
    (conversation) => {
      let running: Promise<unknown> = Promise.resolve();
      return {
        run: (options) => {
          const run = conversation.run(options);
          running = run.catch(() => {});
          return run;
        },
        askAgent: async (...question) => {
          await running;
          return conversation.askAgent(...question);
        },
      };
    },
  ),
  flaw(
    'takes the answer of a call twice',
    'a call takes one answer, and a call that does not wait takes none',
    (conversation) => {
      const answered = new Set<string>();
      return {
        answerCall: async (id, answer) => {
          if (answered.has(id)) return;
          await conversation.answerCall(id, answer);
          answered.add(id);
        },
      };
    },
  ),
];
