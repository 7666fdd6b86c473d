import { createConversationFactory, isConversationError } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { remote } from '@conv/remote';
import { createModelServer, type ModelServer } from '@conv/testing-model-server';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { agentOf, answering, hasEngine, named, podman, remains, userFolder, workspaceWith } from './engine.ts';

/** `npm run image` sets it where it has built an image with OpenHands' agent server. */
const { CONV_OPENHANDS_IMAGE: image = '' } = process.env;

/** Variables that keep this server from looking into the network, and from work of no use here. */
const environment = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', OPENHANDS_SUPPRESS_BANNER: '1', OH_PRELOAD_TOOLS: '0' };

/** Milliseconds for a test: its server loads for many seconds of the processor, at each start. */
const LONG = 600_000;

const Conversation = createConversationFactory({ runtimes: [remote()] });

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script: answering, apiKey: 'k', host: '0.0.0.0' });
});

afterAll(() => model.close());

describe.skipIf(!hasEngine || image === '')(
  "a workspace in a container with OpenHands' agent server",
  { timeout: LONG },
  () => {
    test('a conversation calls a tool, files and ports go through, and the container goes with its workspace', async () => {
      const workspace = workspaceWith({ image, environment, ports: [3000] });
      await using conversation = await Conversation({ workspace, agent: agentOf(model) });
      await conversation.sendMessage('What is the answer?');
      await conversation.run();
      expect(await conversation.finalResponse()).toContain('It said: 42');
      const server = await workspace.start();
      const path = `${workspace.workingDir}/note.txt`;
      await server.upload(path, 'a note');
      expect(new TextDecoder().decode(await server.download(path))).toBe('a note');
      const { stdout } = await server.executeCommand(
        'cat note.txt answer; id -u; touch /usr/x 2>&1; grep CapBnd /proc/self/status',
      );
      expect(stdout).toMatch(/^a note42\n10001\n.*Read-only file system\nCapBnd:\s*0+\n$/);
      await server.executeCommand('/agent-server/.venv/bin/python -m http.server 3000 > /dev/null 2>&1 &');
      const address = await workspace.addressOf(3000);
      await expect.poll(() => fetch(`${address}/note.txt`).then((answer) => answer.text(), String)).toBe('a note');
      await conversation.close();
      await workspace.close();
      expect(await remains(workspace.name)).toEqual([]);
    });

    test('P1: a stopped container keeps conversations, files and secrets, and works as the owner of its folder', async () => {
      const folder = userFolder();
      const place = { ...named(), image, environment, folder, keep: 'stopped' } as const;
      const first = workspaceWith(place);
      const conversation = await Conversation({
        workspace: first,
        agent: agentOf(model),
        secrets: { TOKEN: 'kept-secret' },
      });
      await conversation.sendMessage('What is the answer?');
      await conversation.run();
      await conversation.close();
      await first.close();
      expect(readFileSync(join(folder, 'answer'), 'utf8')).toBe('42\n');
      expect(await podman('ps', '--format', '{{.Names}}')).not.toContain(place.name);
      const stranger = workspaceWith({ ...place, ...named(place.name) });
      await expect(stranger.start()).rejects.toSatisfy((error) => isConversationError(error, 'DENIED'));
      await stranger.close();
      await using last = workspaceWith({ ...place, keep: 'removed' });
      await using again = await Conversation({ workspace: last, id: conversation.id, create: 'never' });
      expect(await again.finalResponse()).toContain('It said: 42');
      await again.sendMessage('Once more.');
      await again.run();
      const events = await again.events.slice(0);
      expect(events.filter((event) => isEvent(event, 'ActionEvent'))).toHaveLength(1);
      expect((await (await last.start()).executeCommand('id -u; pwd')).stdout).toBe('1234\n/workspace\n');
    });

    test('a container that was killed starts again at its address, with its conversations', async () => {
      await using workspace = workspaceWith({ ...named(), image, environment });
      await using conversation = await Conversation({ workspace, agent: agentOf(model) });
      await conversation.sendMessage('What is the answer?');
      await conversation.run();
      const { host } = workspace;
      await podman('kill', '--signal', 'KILL', workspace.name);
      await workspace.start();
      expect(workspace.host).toBe(host);
      await conversation.sendMessage('Once more.');
      await conversation.run();
      expect(await conversation.finalResponse()).toContain('It said: 42');
    });

    test.each([{ executor: true }, { abandonedTimeout: 5000 }])(
      'an option that its server does not have is refused: %j',
      async (option) => {
        const workspace = workspaceWith({ image, ...option });
        const [name] = Object.keys(option);
        await expect(workspace.start()).rejects.toThrow(
          `[INVALID_INPUT] ContainerWorkspace: ${name}: expected an image with the server of`,
        );
        await workspace.close();
        expect(await remains(workspace.name)).toEqual([]);
      },
    );
  },
);
