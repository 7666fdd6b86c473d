import { atRest } from '../conversation/at-rest.ts';
import { Conversation } from '../conversation/conversation-factory.ts';
import { checkEventNumber } from '../conversation/event-number.ts';
import { readConversation } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { CommandError } from '../failure.ts';
import { invocation, note, print } from '../terminal/output.ts';

/** Options of `fork`. */
export interface ForkOptions {
  readonly dir: string;
  readonly at?: number;
  readonly title?: string;
}

/** Makes a conversation that begins like another one and goes its own way from an event on. */
export async function forkCommand(id: string, options: ForkOptions): Promise<ExitCode> {
  const source = await look(id, options);
  await using conversation = await Conversation({
    id: source.id,
    create: 'never',
    persistenceDir: options.dir,
    ...atRest(),
  });
  const fork = await conversation.history.fork({
    ...(source.from === undefined ? {} : { from: source.from }),
    ...(options.title === undefined ? {} : { title: options.title }),
  });
  print(fork);
  note(`go on with: ${invocation(`resume ${fork} "…"`)}`);
  return exitCodes.done;
}

async function look(id: string, { dir, at }: ForkOptions): Promise<{ id: string; from: string | undefined }> {
  await using stored = await readConversation(dir, id);
  if (at === undefined) return { id: stored.id, from: undefined };
  checkEventNumber(at, stored.state.events.length);
  const from = await stored.state.events.idAt(at);
  if (from === undefined) throw new CommandError(exitCodes.storage, `event ${at} cannot be read`);
  return { id: stored.id, from };
}
