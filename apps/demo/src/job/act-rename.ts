import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { atRest, ConversationHere, programAgent } from '@conv/cli/parts';

import { factsClaim, readFacts } from './claims.ts';
import { factsText, recount } from './recount.ts';
import type { Stage } from './stage.ts';
import { factsTask } from './task.ts';

const NEW_NAME = '@renamed/by-the-demo';
const RENAMED = 'packages/core/package.json';

/** Repeats the job on a copy with a renamed package. The facts must differ, or the agent did not read them there. */
export async function renameAndRepeat(stage: Stage): Promise<void> {
  const { narrator } = stage;
  const folder = join(stage.base, 'renamed');
  await narrator.act('The same job on a second copy, with one package renamed (quietly)');
  cpSync(stage.repository, folder, { recursive: true });
  const manifest = join(folder, RENAMED);
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"name": *"[^"]+"/, `"name": "${NEW_NAME}"`));
  const expected = recount(folder);
  await using conversation = await ConversationHere({
    create: 'must',
    agent: programAgent(stage.chosen.model),
    workspace: folder,
    persistenceDir: stage.directory,
    ...atRest(stage.environment),
  });
  await conversation.sendMessage(factsTask());
  await conversation.run();
  narrator.claim(factsClaim(readFacts(folder), expected));
  narrator.claim({
    text: `it names ${NEW_NAME} and differs from the first file, so the agent read it and did not remember it`,
    holds: factsText(expected) !== factsText(stage.expected) && expected.packages.includes(NEW_NAME),
    found: factsText(expected),
  });
}
