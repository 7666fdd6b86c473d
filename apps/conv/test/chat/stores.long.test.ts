import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { inCi } from '@conv/testing-harness';
import type { ModelServer } from '@conv/testing-model-server';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal } from './terminal.ts';

const AWS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test1234' };
let model: ModelServer;
let postgres: PostgresServer;
let s3: S3Server;

beforeAll(async () => {
  [model, postgres, s3] = await Promise.all([chatModel(), PostgresServer.start(), createS3Server()]);
  s3.createBucket('conversations');
}, 60_000);
afterAll(() => Promise.all([model.close(), postgres.stop(), s3.close()]));

const ADDRESSES: Readonly<Record<string, () => string>> = {
  sqlite: () => `sqlite:${join(newFolder(), 'own.db')}`,
  postgres: () => `${postgres.url()}?schema=n${randomUUID().replaceAll('-', '')}`,
  s3: () => `s3:conversations/${randomUUID()}?region=us-east-1&endpoint=${s3.url}`,
};

/** Chats in files are killed in other tests. */
const kinds = inCi(Object.keys(ADDRESSES), 3);

test.each(kinds)(
  'P1: a chat in %s that was killed with kill -9 comes back by its id, with the question that waited',
  async (kind) => {
    const where = { cwd: newFolder(), env: { ...environmentOf(model), ...AWS } };
    const store = ['--store', ADDRESSES[kind]?.() ?? ''];
    let id = '';
    {
      await using terminal = new ChatTerminal(where, 'chat', ...store, '--policy', 'always');
      await terminal.until('ready');
      [, id = ''] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
      await terminal.ask('first words', 'You said: first words');
      await terminal.until('ready', 'screen');
      await terminal.ask('please `touch made`', 'Run it?');
      terminal.kill();
      await terminal.ended;
    }
    await using terminal = new ChatTerminal(where, 'chat', id.slice(0, 8), ...store);
    // in S3 the claim of the killed process lasts for half a minute
    if (kind === 's3') await terminal.until('which may have ended; trying again in');
    await terminal.until('Run it?', 'everywhere', 60_000);
    expect(terminal.text).toContain('You said: first words');
    expect(existsSync(join(where.cwd, 'made'))).toBe(false);
    await terminal.ask('y', 'It printed');
    expect(existsSync(join(where.cwd, 'made'))).toBe(true);
  },
);
