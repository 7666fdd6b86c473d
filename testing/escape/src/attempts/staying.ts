import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { joinedText } from '@conv/core/events';
import { terminal } from '@conv/tools';

import { outlives } from '../outlives.ts';
import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';

/** Milliseconds that a command of an attempt may take. */
const LONGEST = 30_000;

/** Attempts of an agent whose commands run in one terminal. Its process is not confined, and they lead it where they cannot go. */
export const STAYING: readonly Attempt[] = [
  {
    name: 'lead the terminal to another file when it writes the next command',
    act: (world) =>
      runAll(world, [
        `file=$(printf %s "$PROMPT_COMMAND" | sed "s/^. '//; s/'.*//"); ln -sf ${world.path('settings/settings.json')} "$(dirname "$file")/command"`,
        'echo out',
      ]),
    escaped: (world) => world.isChanged('settings/settings.json'),
  },
  {
    name: 'lead the terminal to another folder when it writes long output',
    act: (world) =>
      runAll(world, [
        `rm -rf ${sideOf(world)}; mkdir -p ${join(sideOf(world), '..')}; ln -s ${world.folder}/other-workspace ${sideOf(world)}`,
        'seq 1 20000',
      ]),
    escaped: ({ folder }) =>
      readdirSync(`${folder}/other-workspace`).some((name) => name.startsWith('terminal_output')),
  },
  {
    name: 'let the terminal start the next shell in a folder of others',
    act: (world) => runAll(world, [`cd ${world.folder}/home/.aws`, 'exit', 'cat credentials']),
    escaped: (world, output) => output.includes(world.key),
  },
  {
    name: 'leave a process behind the terminal',
    act: (world) =>
      runAll(world, [
        `(setsid sh -c 'touch begun; while :; do sleep 1; done' ${world.key} >/dev/null 2>&1 &); until test -e begun; do :; done`,
      ]),
    escaped: outlives,
  },
  {
    name: 'leave a program in a cache for another workspace',
    act: (world) =>
      runAll(world, [
        'mkdir -p ~/.npm/_npx ~/.cache; echo "echo planted" | tee ~/.npm/_npx/tool >~/.cache/tool',
        'sync',
      ]),
    escaped: async (world) => {
      const planted = ['.npm/_npx/tool', '.cache/tool'];
      const isOutside = planted.some((name) => existsSync(join(world.folder, 'home', name)));
      const workingDirectory = join(world.folder, 'other-workspace');
      const runs = planted.map((name) => `sh ~/${name}`);
      return isOutside || (await runAll(world, runs, workingDirectory)).includes('planted');
    },
  },
  {
    name: 'start processes behind the terminal, so that nothing names the end of the call',
    exhausting: true,
    act: (world) => runAll(world, ['for i in $(seq 600); do sleep 20 & done; jobs -p | xargs kill -9; echo out']),
    escaped: (_, output) => !output.includes('the sandbox ended it'),
  },
];

/** Runs commands in one terminal. Resolves with all that it showed. */
async function runAll(
  world: World,
  commands: readonly string[],
  workingDirectory: string = world.workspace,
): Promise<string> {
  // another conversation than that of single commands, which has no side directory
  const session = { conversationId: randomUUID(), workingDirectory, sideDirectory: sideOf(world) };
  const tool = await terminal(world.sandbox ? { sandbox: world.sandbox } : {}).create(session);
  try {
    let output = '';
    for (const command of commands) {
      const context = { ...session, toolCallId: randomUUID(), signal: AbortSignal.timeout(LONGEST) };
      const { content, fields } = await tool.execute(tool.parse({ command }), context);
      // what the model reads behind the output
      output += `${joinedText(content)}${JSON.stringify(fields?.['metadata'])}`;
    }
    return output;
  } finally {
    await tool.close?.();
  }
}

/** Returns the folder for long output of the terminal. */
function sideOf({ folder }: World): string {
  return join(folder, 'store/one/observations');
}
