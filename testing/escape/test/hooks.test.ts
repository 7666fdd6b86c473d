import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { HookOccasion, HookOutcome, Hooks } from '@conv/core';
import { createHooks, type HooksConfig, loadHooks, reviveHooks } from '@conv/hooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { isHere } from './is-here.ts';
import { type ConfinedConversation, confinedConversation } from './support.ts';

const CALL: HookOccasion = { type: 'PreToolUse', toolName: 'terminal', toolInput: {} };

const before = (command: string): HooksConfig => ({ preToolUse: [{ hooks: [{ command }] }] });

/** Runs the hooks once, before a call of the terminal. */
async function consult({ session }: ConfinedConversation, hooks: Hooks | undefined): Promise<HookOutcome> {
  if (!hooks) throw new Error('expected hooks');
  const runner = hooks.start({ ...session, onAsyncEnd: () => {} });
  onTestFinished(() => runner.close());
  return runner.run(CALL, new AbortController().signal);
}

describe.skipIf(!isHere)('a hook in a sandbox', () => {
  test('a hook in a sandbox works in the workspace and decides as without one', async () => {
    const conversation = confinedConversation();
    const { sandbox, workspace } = conversation;
    const allowing = createHooks(before('cat >input; pwd'), { sandbox });
    const { events, blocked } = await consult(conversation, allowing);
    expect(blocked).toBe(false);
    expect(events).toMatchObject([{ success: true, stdout: `${workspace}\n` }]);
    expect(readdirSync(workspace)).toEqual(['input']);
    expect(await consult(conversation, createHooks(before('echo not now >&2; exit 2'), { sandbox }))).toMatchObject({
      blocked: true,
      reason: 'not now',
    });
  });

  test('a hook in a sandbox shares its home and /tmp with commands', async () => {
    const conversation = confinedConversation();
    await conversation.run('echo kept >~/file; echo also >/tmp/file');
    const hooks = createHooks(before('cat ~/file /tmp/file'), { sandbox: conversation.sandbox });
    expect((await consult(conversation, hooks)).events).toMatchObject([{ stdout: 'kept\nalso\n' }]);
  });

  test('a hook in a sandbox does not reach what is outside, from code, a file or a store', async () => {
    const conversation = confinedConversation();
    const { sandbox, outside, workspace } = conversation;
    writeFileSync(join(outside, 'key'), 'secret');
    const config = before(`cat ${outside}/key; echo out >${outside}/file; ls ${outside}`);
    mkdirSync(join(workspace, '.openhands'));
    writeFileSync(join(workspace, '.openhands/hooks.json'), JSON.stringify(config));
    const given = createHooks(config, { sandbox });
    const all = [given, await loadHooks(workspace, { sandbox }), reviveHooks({ sandbox })(given.config)];
    for (const hooks of all) {
      const [event] = (await consult(conversation, hooks)).events;
      expect(event?.stdout).not.toContain('secret');
      expect(event?.stderr).toContain('No such file or directory');
    }
    expect(readdirSync(outside)).toEqual(['key']);
  });

  test('a hook in a sandbox ends with everything that it started', async () => {
    const conversation = confinedConversation();
    const { sandbox, workspace } = conversation;
    const command = '(setsid sh -c "until test -e end; do :; done; touch late" >/dev/null 2>&1 &)';
    await consult(conversation, createHooks(before(command), { sandbox }));
    const ended = createHooks(before('touch end; ls'), { sandbox });
    expect((await consult(conversation, ended)).events).toMatchObject([{ stdout: 'end\n' }]);
    expect(existsSync(join(workspace, 'late'))).toBe(false);
  });

  test('a hook in a sandbox is ended by an interrupt', async () => {
    const { sandbox, session, directory } = confinedConversation();
    const runner = createHooks(before('touch begun; sleep 1000'), { sandbox }).start({
      ...session,
      onAsyncEnd: () => {},
    });
    const stop = new AbortController();
    const running = runner.run(CALL, stop.signal);
    await expect.poll(() => existsSync(join(session.workingDirectory, 'begun'))).toBe(true);
    stop.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
    await runner.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a hook whose sandbox breaks has not allowed the call', async () => {
    const conversation = confinedConversation();
    const hooks = createHooks(before("echo 'bwrap: Creating new namespace failed' >&2; exit 1"), {
      sandbox: conversation.sandbox,
    });
    expect(await consult(conversation, hooks)).toMatchObject({ blocked: true });
  });
});

test('a hook whose sandbox cannot be had does not run, and has not allowed the call', async () => {
  const conversation = confinedConversation();
  vi.stubEnv('PATH', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  const hooks = createHooks(before('/usr/bin/touch ran'), { sandbox: conversation.sandbox });
  expect(await consult(conversation, hooks)).toMatchObject({
    blocked: true,
    reason: expect.stringContaining('sandbox'),
  });
  expect(readdirSync(conversation.workspace)).toEqual([]);
});
