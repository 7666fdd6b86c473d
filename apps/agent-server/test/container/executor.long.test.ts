import { createModelServer } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { KEY, make, MODEL_KEY, openLoop, script } from '../executor/loop.ts';
import { newFolder } from '../new-folder.ts';
import { hasEngine, podman, workspaceWith } from './engine.ts';

test.skipIf(!hasEngine)(
  'commands and files act in a container that only executes, and starts again after it was killed',
  async () => {
    const model = await createModelServer({ script, apiKey: MODEL_KEY });
    onTestFinished(() => model.close());
    await using container = workspaceWith({ executor: true });
    const { workingDir } = container;
    const places = { store: newFolder(), model: model.url, executor: '', key: KEY, workingDir };
    await using conversation = await openLoop(places, container);
    const path = `${workingDir}/note.txt`;
    const [made, shown] = await make(
      conversation,
      ['file_editor', { command: 'create', path, file_text: 'from here\n' }],
      ['terminal', { command: 'cat note.txt; hostname' }],
    );
    expect(made).toContain('Created');
    expect(shown).toContain('from here');
    expect(await podman('inspect', container.name)).not.toContain(MODEL_KEY);
    await podman('kill', container.name);
    const [back] = await make(conversation, ['terminal', { command: 'cat note.txt' }]);
    expect(back).toContain('The executor has started again');
    expect(back).toContain('from here');
  },
);

test.skipIf(!hasEngine)(
  'a command beyond the disk limit ends with its container, is told why, and the next one works',
  async () => {
    const model = await createModelServer({ script, apiKey: MODEL_KEY });
    onTestFinished(() => model.close());
    await using container = workspaceWith({ executor: true, limits: { disk: 200 * 2 ** 20 } });
    const { workingDir } = container;
    const places = { store: newFolder(), model: model.url, executor: '', key: KEY, workingDir };
    await using conversation = await openLoop(places, container);
    const [ended] = await make(conversation, ['terminal', { command: 'head -c 500M /dev/zero >full; sleep 600' }]);
    expect(ended).toContain('to lose at most 200 MiB of its free space');
    expect(ended).toContain('outcome of this call is unknown');
    const [back] = await make(conversation, ['terminal', { command: 'rm full && echo removed' }]);
    expect(back).toContain('removed');
    expect(container.endReason).toBeUndefined();
  },
);
