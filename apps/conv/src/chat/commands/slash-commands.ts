import { cost, files } from './account.ts';
import { approve, reject, run } from './decide.ts';
import { at, fork } from './look-back.ts';
import { ChatMistake, type ChatContext, type SlashCommand } from './slash-command.ts';
import { model, policy } from './switch-settings.ts';

/** Columns below which a command and its description take two lines. */
const NARROW = 78;

const KEYS: readonly (readonly [keys: string, about: string])[] = [
  ['Enter', 'send; the message waits while the agent works'],
  ['Alt-Enter, Ctrl-J', 'new line; or type a backslash before Enter'],
  ['Up, Down', 'earlier messages'],
  ['Tab', 'complete a command'],
  ['Ctrl-G', 'write in your editor'],
  ['Ctrl-C', 'pause the agent; twice stops it at once'],
  ['Ctrl-D', 'leave'],
  ['//…', 'send a message that begins with a slash'],
];

const edit: SlashCommand = {
  name: 'edit',
  about: 'write in your editor',
  run: ({ screen }) => screen.edit(),
};

const help: SlashCommand = {
  name: 'help',
  about: 'list commands and keys',
  run({ screen, session }) {
    const rows = [
      ...commands.map(
        ({ name, argument, about }) => [`/${name}${argument === undefined ? '' : ` ${argument}`}`, about] as const,
      ),
      ...KEYS,
    ];
    const isNarrow = (screen.log.columns ?? 80) < NARROW;
    const width = Math.max(...rows.map(([head]) => head.length));
    session.tell(
      '',
      ...rows.flatMap(([head, about]) =>
        isNarrow ? [`  ${head}`, `    ${about}`] : [`  ${head.padEnd(width)}  ${about}`],
      ),
    );
    return Promise.resolve();
  },
};

const quit: SlashCommand = {
  name: 'quit',
  about: 'leave; the conversation stays',
  run({ leave }) {
    leave();
    return Promise.resolve();
  },
};

/** The commands of a chat, in the order of help. */
export const commands: readonly SlashCommand[] = [
  approve,
  reject,
  run,
  model,
  policy,
  fork,
  at,
  cost,
  files,
  edit,
  help,
  quit,
];

/** A line of the user: a command with its argument, or a message. */
export type ChatLine =
  | { readonly kind: 'command'; readonly name: string; readonly argument: string }
  | { readonly kind: 'message'; readonly text: string };

/** Reads a line. A path such as `/etc/hosts` is not a command; two slashes begin a message that begins with a slash. */
export function readLine(text: string): ChatLine {
  const [, name, argument = ''] = /^\/([a-z]+)(?:\s+([^]*))?$/i.exec(text) ?? [];
  if (name !== undefined) return { kind: 'command', name: name.toLowerCase(), argument: argument.trim() };
  return { kind: 'message', text: text.startsWith('//') ? text.slice(1) : text };
}

/** Executes a command. Rejects {@link ChatMistake} for an unknown name, and as the command does. */
export async function runCommand(chat: ChatContext, name: string, argument: string): Promise<void> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new ChatMistake(unknown(name));
  if (argument !== '' && command.argument === undefined)
    throw new ChatMistake(`/${name}: it takes no argument, found ${JSON.stringify(argument)}`);
  await command.run(chat, argument);
}

function unknown(name: string): string {
  const near = commands.filter((each) => each.name.startsWith(name.slice(0, 2))).map((each) => `/${each.name}`);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '/help lists the commands.';
  return `unknown command /${name}: ${hint} To send a message that begins with a slash, type //${name}`;
}
