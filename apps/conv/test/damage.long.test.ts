import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { startServer } from './agent-server.ts';
import { conv, onlyId, type Setting, shown } from './command.ts';
import { newFolder } from './new-folder.ts';

interface Damaged {
  readonly setting: Setting;
  readonly id: string;
}

/** A conversation whose record with this text is damaged, and of which the event files of this kind are gone. */
async function damaged(text: string, kind: string, ...args: readonly string[]): Promise<Damaged> {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', 'please: `echo first`', ...args);
  const id = await onlyId(setting);
  const folder = join(setting.cwd, 'workspace/conversations', id.replaceAll('-', ''));
  const wal = join(folder, '.conv/epoch-00000001.wal');
  const bytes = readFileSync(wal);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(wal, bytes);
  for (const name of readdirSync(join(folder, 'events'))) {
    const file = join(folder, 'events', name);
    if (readFileSync(file, 'utf8').includes(`"kind":"${kind}"`)) rmSync(file);
  }
  return { setting, id };
}

const lostPrompt = (): Promise<Damaged> => damaged('"kind":"SystemPromptEvent"', 'SystemPromptEvent');

describe('a conversation whose system prompt is lost to damage', () => {
  test('P4: show names the damage and the settings that may be unknown, and ends with 7', async () => {
    const { setting, id } = await lostPrompt();
    const { stdout, stderr, exitCode } = await conv(setting, 'show', id);
    expect(stdout).toMatch(/^damaged {4}settings may be lost/m);
    expect(stdout).toMatch(/^asks {7}before each action/m);
    expect(stdout).toMatch(/^limits {5}\d+ responses, budget none, per run none/m);
    expect(stderr).toMatch(/commits? \d+.*cannot be read/);
    expect(exitCode).toBe(7);
    const state = await shown(setting, id);
    expect(state).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  });

  test('P4 P5: the prompt is said again before the model is asked, once, and messages sends it first', async () => {
    const { setting, id } = await lostPrompt();
    expect((await shown(setting, id)).events.filter(({ kind }) => kind === 'SystemPromptEvent')).toEqual([]);
    await conv(setting, 'resume', id, 'say `something` else', '--approve');
    const { events } = await shown(setting, id);
    const prompts = events.filter(({ kind }) => kind === 'SystemPromptEvent');
    expect(prompts).toHaveLength(1);
    const answer = events.findIndex(({ kind, source }) => kind === 'ActionEvent' && source === 'agent');
    const later = events.findLastIndex(({ source }) => source === 'agent');
    expect(answer).toBeLessThan(later);
    expect(events.indexOf(prompts[0] as (typeof events)[number])).toBeLessThan(later);
    const { stdout } = await conv(setting, 'messages', id);
    const [first] = JSON.parse(stdout) as readonly { readonly role: string }[];
    expect(first?.role).toBe('system');
    await conv(setting, 'resume', id, 'and `more`', '--approve');
    const again = (await shown(setting, id)).events.filter(({ kind }) => kind === 'SystemPromptEvent');
    expect(again).toEqual(prompts);
  });

  test('P10: confirm-damage shows the settings, ends the distrust, changes none of them, and says it once', async () => {
    const { setting, id } = await lostPrompt();
    const confirmed = await conv(setting, 'confirm-damage', id.slice(0, 8));
    expect(confirmed.stdout).toMatch(/^asks {7}before each action\nanalyzer /m);
    expect(confirmed.stderr).toContain('confirmed');
    expect(confirmed.exitCode).toBe(0);
    const state = await shown(setting, id);
    expect(state).toMatchObject({ damaged: false, confirmationPolicy: { kind: 'AlwaysConfirm' } });
    const { stdout, stderr } = await conv(setting, 'show', id);
    expect(stdout).not.toContain('may be lost');
    expect(stderr).toMatch(/commits? \d+.*cannot be read/);
    expect((await conv(setting, 'confirm-damage', id)).stderr).toContain('there is nothing to confirm');
  });

  test('P4: the info of a server names the lost prompt, and so do show and confirm-damage with --server', async () => {
    const { setting, id } = await lostPrompt();
    const server = await startServer(setting.cwd);
    const headers = { 'X-Session-API-Key': Object.values(server.env)[0] as string };
    const info = async (): Promise<unknown> =>
      (await fetch(`${server.url}/api/conversations/${id}`, { headers })).json();
    expect(await info()).toMatchObject({
      damaged: true,
      confirmation_policy: { kind: 'AlwaysConfirm' },
      damage: [{ reason: expect.stringContaining('is damaged') as string, restored: expect.any(Array) as unknown }],
    });
    const there = (...args: string[]) =>
      conv({ cwd: newFolder(), env: server.env }, ...args, id, '--server', server.url);
    const { stdout, stderr, exitCode } = await there('show');
    expect(stdout).toContain('settings may be lost');
    expect(stderr).toMatch(/commits? \d+.*cannot be read/);
    expect(exitCode).toBe(7);
    expect((await there('confirm-damage')).exitCode).toBe(0);
    expect(await info()).toMatchObject({ damaged: false, damage: [{ restored: expect.any(Array) as unknown }] });
  });
});

test('P4: a damaged event file whose commit is whole is no damage to show, and check names and mends it', async () => {
  const setting = { cwd: newFolder() };
  await conv(setting, 'run', 'please: `echo first`');
  const id = await onlyId(setting);
  const before = await shown(setting, id);
  const events = join(setting.cwd, 'workspace/conversations', id.replaceAll('-', ''), 'events');
  const file = join(events, readdirSync(events).sort()[2] as string);
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, whole.length / 2));
  const { stdout, exitCode } = await conv(setting, 'show', id);
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('damaged');
  expect((await shown(setting, id)).events).toEqual(before.events);
  const store = 'fs:workspace/conversations';
  const checked = await conv(setting, 'check', store);
  expect(checked.stdout).toMatch(/event file: /);
  expect(checked.exitCode).toBe(1);
  expect((await conv(setting, 'check', store, '--repair')).exitCode).toBe(0);
  expect(readFileSync(file)).toEqual(whole);
});
