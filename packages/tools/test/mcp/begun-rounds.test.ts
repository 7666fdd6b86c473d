import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { defineTool, type JsonObject, type Tool } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { temporaryFolder, textOf } from '../open-tool.ts';
import { sessionlessServer } from './support/http-server.ts';
import { openServers } from './support/open-servers.ts';

function asking(before: () => unknown): Tool {
  return defineTool({
    name: 'ask_user',
    description: 'Asks the user.',
    input: z.looseObject({ fields: z.json().optional(), url: z.string().optional() }),
    execute: async () => {
      await before();
      return '{"action":"accept","content":{"name":"Ann"}}';
    },
  });
}

describe('a call that has asked between two requests', () => {
  test('P5: a call that has asked is not made anew when its server does not take the answer', async () => {
    const server = await sessionlessServer();
    const file = join(temporaryFolder(), 'notes');
    const ownTools = [asking(() => server.refuseNext())];
    const { call } = await openServers({ shop: { url: server.url } }, { ownTools });
    expect(textOf(await call('ask', { file }))).toContain('What it did until then is not known.');
    expect(readFileSync(file, 'utf8')).toBe('asks\n');
  });

  test('P5: a call that has asked is not made anew in a conversation that cannot be asked in', async () => {
    const server = await sessionlessServer();
    const file = join(temporaryFolder(), 'notes');
    const round: JsonObject = { mcp_input: { asked: 0, requests: {}, state: 'order-7' } };
    const handles = { get: () => round, keep: async () => {} };
    const { call } = await openServers({ shop: { url: server.url } }, { handles });
    expect(textOf(await call('ask', { file }))).toContain('it waits for an answer, and has no user here');
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });
});
