import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { ConversationState } from '@conv/core';
import { openStore } from '@conv/stores';
import { execa } from 'execa';
import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ID = 'c0ffee00-0000-4000-8000-000000000001';

function audit(cwd: string, ...args: readonly string[]) {
  return execa(process.execPath, [program, 'audit', ...args], { cwd, reject: false, stdin: 'ignore' });
}

test('P10: each decision is a line of JSON, and a store without conversations has none', async () => {
  const cwd = newFolder();
  expect(await audit(cwd)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  const opened = await openStore(`fs:${join(cwd, 'workspace/conversations')}`);
  const state = await ConversationState.open(await opened.store.open(ID, { owner: 'test' }), { id: ID });
  await state.update({ set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  await state.close();
  await opened.close();
  const { exitCode, stdout, stderr } = await audit(cwd);
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n').map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([{ conversation: ID, decision: 'policy', set: { policy: 'AlwaysConfirm' } }]);
  expect((await audit(cwd, ID)).stdout).toBe(stdout);
  expect((await audit(cwd, 'c0ffee00-0000-4000-8000-00000000000f')).stdout).toBe('');
  expect(readdirSync(join(cwd, 'workspace'))).toEqual(['conversations']);
});
