import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { ConversationState, type PendingAction } from '@conv/core';
import { FsStore } from '@conv/persist-fs';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';

import { approvalLines, pagesOf } from '../src/conversation/ask-approval.ts';
import { failureOf } from '../src/failure.ts';
import { conv } from './command.ts';
import { newFolder } from './new-folder.ts';

/** Clears the screen, sets the title, moves the cursor by C1, reorders, and begins a line of its own. */
const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\u009b5A\u202e\r\nconv: all is well';
/** Characters that a terminal would obey, except line ends. */
const OBEYED = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n]]/v;

function pending(action: object, more: object = {}): PendingAction {
  return {
    id: 'a',
    kind: 'ActionEvent',
    source: 'agent',
    tool_name: 'terminal',
    action,
    reasons: [],
    ...more,
  } as never;
}

describe('text of others on the terminal of the command line', () => {
  test('a hostile title, model, tool and message show nothing raw in list and show, as text and as JSON', async () => {
    const setting = { cwd: newFolder() };
    const id = randomUUID();
    const store = new FsStore({ directory: join(setting.cwd, 'workspace/conversations') });
    const journal = await store.open(id, { create: 'must', owner: 'test' });
    const agent = { kind: 'Agent', llm: { model: `m${HOSTILE}` }, tools: [] };
    const workspace = { kind: 'LocalWorkspace' as const, workingDir: `/tmp/${HOSTILE}` };
    const state = await ConversationState.open(journal, { id, title: `t${HOSTILE}`, agent, workspace });
    const call = { id: 'c', name: `n${HOSTILE}`, arguments: '{}', origin: 'completion' } as const;
    await state.append([
      { kind: 'MessageEvent', source: 'user', llm_message: { role: 'user', content: HOSTILE } } as never,
      {
        kind: 'ActionEvent',
        source: 'agent',
        thought: [],
        action: { data: { text: HOSTILE }, kind: 'MCPToolAction' },
        tool_name: `n${HOSTILE}`,
        tool_call_id: 'c',
        tool_call: call,
        llm_response_id: 'r',
      } as never,
    ]);
    await journal.close();
    await store.close();
    for (const args of [['list'], ['list', '--json'], ['show', id], ['show', id, '--json'], ['messages', id]]) {
      const { stdout, stderr } = await conv(setting, ...args);
      expect(`${args.join(' ')}: ${stdout}${stderr}`).not.toMatch(OBEYED);
      expect(stdout).not.toMatch(/^conv: all is well/m);
      expect(stdout.length).toBeGreaterThan(0);
    }
  });

  test('the text of an error is one line without anything raw', async () => {
    const { message } = await failureOf(new Error(`the endpoint said ${HOSTILE}`));
    expect(message).not.toMatch(OBEYED);
    expect(message).not.toContain('\n');
  });
});

describe('P10: what a person is shown before an action may run', () => {
  test('P10: a person is shown the whole command, with line breaks marked and hidden characters visible', () => {
    const command = `echo ${'x'.repeat(5000)}\nrm -rf \u001b]0;~\u0007 precious\n\u202edone`;
    const lines = approvalLines(pending({ command, kind: 'TerminalAction' }), pc.createColors(false));
    expect(lines.slice(1)).toEqual([
      `  │ echo ${'x'.repeat(5000)} ⏎`,
      String.raw`  │ rm -rf \x1b]0;~\x07 precious ⏎`,
      String.raw`  │ \u202edone`,
    ]);
  });

  test('P10: a person is shown every argument of another tool, its name in one line, and why it is held', () => {
    const action = { data: { text: 'y'.repeat(9000) }, kind: 'MCPToolAction' };
    const more = { tool_name: `evil\n  harmless · risk LOW`, security_risk: 'HIGH', reasons: ['it\u001b[1A deletes'] };
    const lines = approvalLines(pending(action, more), pc.createColors(false));
    expect(lines[0]).toBe('  evil harmless · risk LOW · risk HIGH');
    expect(lines[1]).toBe('  why: it deletes');
    expect(lines.join('')).toContain('y'.repeat(9000));
  });

  test('P10: a long call is shown in pages that hold all of it and fit the terminal', () => {
    const long = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    const pages = pagesOf([...long, 'z'.repeat(7000)], 80, 24);
    expect(pages.flat().join('')).toBe([...long, 'z'.repeat(7000)].join(''));
    for (const page of pages) {
      const rows = page.reduce((sum, line) => sum + Math.ceil(line.length / 80), 0);
      expect(rows).toBeLessThanOrEqual(22);
    }
  });
});

test('P9: list shows no value that was said before it was registered, whole or cut, as text and as JSON', async () => {
  const value = 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5';
  const key = 'a long enough key for this test';
  const setting = { cwd: newFolder(), env: { OH_SECRET_KEY: key } };
  const store = new FsStore({ directory: join(setting.cwd, 'workspace/conversations') });
  const vault = createSecretVault({ cipher: fernetCipher(key) });
  vault.update({ TOKEN: value });
  for (const title of [`use ${value}`, `use ${value.slice(0, 38)}…`]) {
    const id = randomUUID();
    const journal = await store.open(id, { create: 'must', owner: 'test' });
    const { secretRegistry, hiddenValues } = vault.stored;
    await ConversationState.open(journal, { id, title, tags: { note: value }, secretRegistry, hiddenValues });
    await journal.close();
  }
  await store.close();
  for (const args of [['list'], ['list', '--json']]) {
    const { stdout } = await conv(setting, ...args);
    expect(stdout).toContain('use <secret-hidden>');
    expect(stdout).not.toContain(value.slice(0, 8));
  }
});
