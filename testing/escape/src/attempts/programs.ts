import { createHooks } from '@conv/hooks';
import { mcpServers } from '@conv/tools';

import { quoted } from '../quoted.ts';
import type { World } from '../world.ts';
import type { Attempt, CommandAttempt } from './attempt.ts';

/** Returns the attempt of an agent that has written the command into the hooks of its workspace. */
export function asHook({ command, name, ...attempt }: CommandAttempt): Attempt {
  return { ...attempt, name: `${name}, as a hook`, act: (world) => runHook(world, command(world)) };
}

/** Returns the attempt of an MCP server that the agent has changed into the command. */
export function asServer({ command, name, ...attempt }: CommandAttempt): Attempt {
  return { ...attempt, name: `${name}, as an MCP server`, act: (world) => runServer(world, command(world)) };
}

async function runHook({ session, sandbox }: World, command: string): Promise<string> {
  const hooks = createHooks({ stop: [{ hooks: [{ command: `bash -c ${quoted(command)}` }] }] }, { sandbox });
  const runner = hooks.start({ ...session, onAsyncEnd: () => {} });
  try {
    const { events } = await runner.run({ type: 'Stop' }, new AbortController().signal);
    return events.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('');
  } finally {
    await runner.close();
  }
}

/** Resolves with the error output, which the message about a server that ended quotes. */
async function runServer({ session, sandbox }: World, command: string): Promise<string> {
  const server = { command: 'bash', args: ['-c', `{ ${command}\n} >&2`] };
  try {
    const { signal } = new AbortController();
    const provided = await mcpServers({ server }, sandbox ? { sandbox } : {}).provide(session, {
      changed: () => {},
      signal,
    });
    await provided.close();
    return '';
  } catch (error) {
    return String(error);
  }
}
