import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Tool, ToolResult } from '@conv/core/tool';
import { terminal, type TerminalOptions } from '@conv/tools';
import { describe, expect, onTestFinished, test } from 'vitest';

import { isHere } from './is-here.ts';
import { type ConfinedConversation, confinedConversation } from './support.ts';

const WHY = 'the task needs it';

interface Opened extends ConfinedConversation {
  readonly tool: Tool;
  readonly inside: (command: string, signal?: AbortSignal) => Promise<ToolResult>;
  /** Runs a command as a conversation does after a person has approved it. */
  readonly beyond: (command: string, more?: Record<string, unknown>, signal?: AbortSignal) => Promise<ToolResult>;
}

async function opened(options: Pick<TerminalOptions, 'outside' | 'noOutputTimeout'> = {}): Promise<Opened> {
  const conversation = confinedConversation();
  const { sandbox, session } = conversation;
  const tool = await terminal({ sandbox, outside: 'ask', ...options }).create(session);
  onTestFinished(() => tool.close?.());
  const execute = (input: unknown, signal = new AbortController().signal): Promise<ToolResult> =>
    tool.execute(tool.parse(input), { ...conversation.session, signal, toolCallId: 'call' });
  return {
    ...conversation,
    tool,
    inside: (command, signal) => execute({ command }, signal),
    beyond: (command, more = {}, signal) => execute({ command, outside_sandbox: WHY, ...more }, signal),
  };
}

const textOf = ({ content: [part] }: ToolResult): unknown => part && 'text' in part && part.text;

describe.skipIf(!isHere)('a command of a confined terminal that a person has allowed outside', () => {
  test('an allowed command reads and writes what the sandbox refuses, and the next command does not', async () => {
    const { inside, beyond, outside } = await opened();
    writeFileSync(join(outside, 'file'), 'outside');
    expect(textOf(await inside(`cat ${outside}/file`))).not.toBe('outside');
    const result = await beyond(`cat ${outside}/file; echo new >${outside}/new`);
    expect(textOf(result)).toBe('outside');
    expect(result.fields).toMatchObject({ exit_code: 0, metadata: { suffix: '\n[It ran outside of the sandbox.]' } });
    expect(readFileSync(join(outside, 'new'), 'utf8')).toBe('new\n');
    expect(textOf(await inside(`cat ${outside}/file`))).not.toBe('outside');
  });

  test('an allowed command runs in the folder of the shell, also where only the sandbox has it', async () => {
    const { inside, beyond, workspace } = await opened();
    await inside('mkdir deep; cd deep');
    expect(textOf(await beyond('pwd -P'))).toBe(join(workspace, 'deep'));
    await inside('mkdir /tmp/own; cd /tmp/own; echo own >file');
    expect(textOf(await beyond('cat file'))).toBe('own');
  });

  test('an allowed command does not run in a folder to which a program has put a link', async () => {
    const { inside, beyond, workspace, outside } = await opened();
    mkdirSync(join(outside, 'deep'));
    await inside('mkdir deep; cd deep');
    await inside(`mv ${workspace}/deep ${workspace}/moved; ln -s ${outside}/deep ${workspace}/deep`);
    await expect(beyond('pwd -P')).rejects.toThrow('The sandbox does not let tools read');
  });

  test('an allowed command gets no variable of the shell', async () => {
    const { inside, beyond } = await opened();
    await inside(`export ADDRESS=inside INDEX='x[$(touch run)]' LD_PRELOAD=/evil.so`);
    const command = 'echo "${ADDRESS:-none}" $((${INDEX:-0})); ls; env | grep -cE "^(ADDRESS|INDEX|LD_PRELOAD)="';
    expect(textOf(await beyond(command))).toBe('none 0\n0');
  });

  test('an allowed command ends at a variable that is unset, names it, and says what to do', async () => {
    const { inside, beyond } = await opened();
    await inside('OUT=/usr');
    const result = await beyond('echo rm "$OUT"/*; echo after\necho later');
    expect(textOf(result)).toMatch(/^[^\n]*OUT: unbound variable$/);
    expect(result.fields).toMatchObject({
      exit_code: 1,
      metadata: { suffix: expect.stringContaining('write their values in the command') },
    });
  });

  test('an allowed command runs with its quotes, lines and here-documents as they are written', async () => {
    const { beyond } = await opened();
    const result = await beyond(`echo "it's"\ncat <<'END'\n$NO 'value'\nEND\nexit 3`);
    expect(textOf(result)).toBe("it's\n$NO 'value'");
    expect(result.fields).toMatchObject({ exit_code: 3 });
  });

  test('an allowed command changes neither folder nor variables of the shell', async () => {
    const { inside, beyond, workspace } = await opened();
    await inside('name=inside');
    await beyond('cd /; name=outside');
    expect(textOf(await inside('echo $name; pwd'))).toBe(`inside\n${workspace}`);
  });

  test('an allowed command ends at its timeout', async () => {
    const { beyond } = await opened();
    expect((await beyond('sleep 1000', { timeout: 0 })).fields).toMatchObject({ exit_code: -1, timeout: true });
  });

  test('an allowed command ends when it waits for input, but not while its timeout lets it be silent', async () => {
    const { beyond } = await opened({ noOutputTimeout: 0 });
    expect((await beyond('read answer')).fields).toMatchObject({
      exit_code: -1,
      timeout: true,
      metadata: { suffix: expect.stringContaining('takes input. If it needs longer, call again with timeout.') },
    });
    expect(textOf(await beyond('sleep 0.2; echo done', { timeout: 600 }))).toBe('done');
  });

  test('an allowed command leaves nothing in the background', async () => {
    const { beyond } = await opened();
    const pid = Number(textOf(await beyond('sleep 1000 >/dev/null 2>&1 & echo $!')));
    expect(pid).toBeGreaterThan(1);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });

  test('an allowed command rejects as its signal does, and is gone', async () => {
    const { beyond, workspace } = await opened();
    const stop = new AbortController();
    const running = beyond('sleep 1000 & echo $! >new; mv new pid; wait', {}, stop.signal);
    await expect.poll(() => existsSync(join(workspace, 'pid'))).toBe(true);
    stop.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
    const pid = Number(readFileSync(join(workspace, 'pid'), 'utf8'));
    expect(pid).toBeGreaterThan(1);
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });

  test.each([{ is_input: true }, { reset: true }, { command: ' ' }])(
    'an allowed command is refused with %j',
    async (more) => {
      expect(await (await opened()).beyond('true', more)).toMatchObject({ isError: true });
    },
  );
});

describe.skipIf(!isHere)('the reason to leave the sandbox', () => {
  test('the reason stands in the action as a comment before the command, which every client shows', async () => {
    const { tool } = await opened();
    const input = tool.parse({ command: 'git push', outside_sandbox: ' it\npushes\u001b' });
    const action = tool.wire.toAction(input);
    expect(action).toMatchObject({ kind: 'TerminalAction', command: '# outside of the sandbox: it pushes\ngit push' });
    expect(action).not.toHaveProperty('outside_sandbox');
    const read = tool.parse(tool.wire.fromAction(action));
    expect(read).toMatchObject({ command: 'git push', outside_sandbox: 'it pushes' });
    expect(tool.wire.toAction(read)).toEqual(action);
  });

  test('an empty reason asks for nothing', async () => {
    const { tool } = await opened();
    const action = tool.wire.toAction(tool.parse({ command: 'ls', outside_sandbox: ' ' }));
    expect(tool.wire.fromAction(action)).toEqual({ command: 'ls', is_input: false, reset: false });
  });

  test('a terminal that allows no reason has no such argument, and the command runs inside', async () => {
    const { tool, outside, inside } = await opened({ outside: 'never' });
    expect(JSON.stringify(tool.inputSchema)).not.toContain('outside_sandbox');
    expect(() => tool.parse({ command: 'true', outside_sandbox: WHY })).toThrow('outside_sandbox');
    writeFileSync(join(outside, 'file'), 'outside');
    const read = tool.wire.fromAction({
      kind: 'TerminalAction',
      command: `# outside of the sandbox: x\ncat ${outside}/file`,
    });
    expect(textOf(await inside((read as { readonly command: string }).command))).not.toBe('outside');
  });

  test('the reason is offered in the description, and in the note behind a refusal', async () => {
    const { tool, inside } = await opened();
    expect(tool.description).toContain('can be run with outside_sandbox, if a person allows it');
    expect((await inside('touch /usr/new')).fields).toMatchObject({
      metadata: { suffix: expect.stringContaining('call again with outside_sandbox and the reason') },
    });
  });
});

test('a terminal without a sandbox has no argument to leave one', async () => {
  const { session } = confinedConversation();
  const tool = await terminal({ outside: 'ask' }).create(session);
  onTestFinished(() => tool.close?.());
  expect(JSON.stringify(tool.inputSchema)).not.toContain('outside_sandbox');
});
