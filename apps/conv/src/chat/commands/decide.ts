import { ChatMistake, type SlashCommand } from './slash-command.ts';

const NONE = 'no call waits for approval; a waiting call is shown with a question';

/** Approves every call that waits. */
export const approve: SlashCommand = {
  name: 'approve',
  about: 'let all waiting calls run',
  async run({ session }) {
    const count = await session.approvals.decideAll('approve');
    if (count === 0) throw new ChatMistake(`/approve: ${NONE}`);
    session.note(`approved ${calls(count)}`);
  },
};

/** Rejects every call that waits. */
export const reject: SlashCommand = {
  name: 'reject',
  argument: '[reason]',
  about: 'reject all waiting calls',
  async run({ session }, reason) {
    const count = await session.approvals.decideAll('reject', reason === '' ? undefined : reason);
    if (count === 0) throw new ChatMistake(`/reject: ${NONE}`);
    session.note(`rejected ${calls(count)}`);
  },
};

/** Lets the agent continue where it stopped. */
export const run: SlashCommand = {
  name: 'run',
  about: 'continue after a pause or an error',
  async run({ session }) {
    const { executionStatus: status, lastUserMessageId } = session.conversation.state;
    if (session.run.isWorking) throw new ChatMistake('/run: the agent is already working; Ctrl-C pauses it');
    if (session.approvals.question !== undefined)
      throw new ChatMistake('/run: calls wait for approval; answer the question, or use /approve or /reject');
    // a message without a run leaves the status idle, and so do a fork at a result and calls that were all rejected
    if (status === 'finished' || (status === 'idle' && lastUserMessageId === null))
      throw new ChatMistake('/run: there is nothing to continue; type a message');
    session.run.go();
  },
};

function calls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}
