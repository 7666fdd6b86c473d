import { print } from '@conv/cli/parts';

import type { Stage } from './stage.ts';

/** Announces the job, with its model and its folder. */
export function introduce({ narrator, chosen: { model, url }, repository, directory }: Stage, story: string): void {
  print();
  narrator.say(narrator.strong('conv: durable conversations with AI agents'));
  narrator.say(story);
  narrator.fact(
    'model',
    url === undefined
      ? model.name
      : `no LLM_MODEL is set, so a script answers, behind a real streaming server at ${url}; everything else is real`,
  );
  narrator.fact('folder', `${repository}, a copy of this repository`);
  narrator.fact('kept in', directory);
  narrator.say('Lines with this bar are the demo’s comments and checks (✓); all other lines are the conversation.');
}
