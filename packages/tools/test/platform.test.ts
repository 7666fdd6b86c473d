import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { mcpServers, terminal } from '../src/index.ts';
import { scripted } from './mcp/support/open-servers.ts';
import { textOf } from './open-tool.ts';
import { metadataOf, openTerminal } from './terminal/open-terminal.ts';

test('the time of the platform ends the wait for a silent command', async () => {
  const platform = new ManualPlatform();
  const shell = await openTerminal(terminal({ platform, noOutputTimeout: 3600, maxTimeout: 86_400 }));
  const silent = shell.run('read line; echo "got $line"');
  await platform.untilWaiting(3_600_000);
  platform.pass(3_600_000);
  const result = await silent;
  expect(result.fields).toMatchObject({ exit_code: -1, timeout: true });
  expect(metadataOf(result)['suffix']).toContain('has printed nothing new for a while');
  expect(textOf(await shell.run('it\n', { is_input: true, timeout: 60 }))).toContain('got it');
});

test('the time of the platform ends the connecting to a server that does not answer', async () => {
  const platform = new ManualPlatform();
  const provider = mcpServers({ quiet: scripted('silent') }, { platform, connectTimeout: 86_400 });
  const session = { conversationId: platform.id(), workingDirectory: process.cwd() };
  const { signal } = new AbortController();
  const provided = provider.provide(session, { changed: () => undefined, signal });
  await platform.untilWaiting(86_400_000);
  platform.pass(86_400_000);
  await expect(provided).rejects.toMatchObject({ code: 'TIMEOUT', servers: ['quiet'] });
});

test('a platform is no part of the parameters by which a stored agent names its tools', () => {
  const options = { platform: new ManualPlatform(), noOutputTimeout: 10 };
  expect(terminal(options).params).toEqual({ noOutputTimeout: 10 });
});
