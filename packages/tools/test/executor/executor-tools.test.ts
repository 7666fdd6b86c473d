import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { Executor, Sandbox, ToolResult } from '@conv/core/tool';
import { describe, expect, onTestFinished, test } from 'vitest';

import { fileEditor, mcpServers, terminal } from '../../src/index.ts';
import { openTool, temporaryFolder, textOf } from '../open-tool.ts';
import { both, elsewhere, openThere } from './elsewhere.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';

describe('a terminal whose shell is in an executor', () => {
  test('a terminal in an executor gives the results that it gives on this machine', async () => {
    const [here, there] = await both(
      () => terminal({ noOutputTimeout: 0.5 }),
      [
        { command: 'echo out; echo err >&2; (exit 3)', timeout: 100 },
        { command: 'mkdir -p a && cd a && X=1', timeout: 100 },
        { command: 'echo "$X"; pwd', timeout: 100 },
        { command: 'read line; echo "got $line"' },
        { command: 'a line', is_input: true, timeout: 100 },
        { command: 'read line; echo "late $line"', timeout: 0.05 },
        { command: '', is_input: true, timeout: 0.05 },
        { command: 'line', is_input: true, timeout: 100 },
        { command: '' },
        { command: 'if', timeout: 100 },
      ],
    );
    expect(there).toEqual(here);
    expect(there?.[4]).toMatchObject({ fields: { exit_code: 0 }, content: [{ text: 'got a line' }] });
  });

  test('a terminal in an executor has the description and the schema that it has on this machine', async () => {
    const [here, there] = [await openTool(terminal()), await openThere(terminal())];
    expect({ ...there.tool, definition: there.tool.wire.definition }).toMatchObject({
      name: here.tool.name,
      description: here.tool.description,
      inputSchema: here.tool.inputSchema,
      definition: here.tool.wire.definition,
    });
  });

  test("P9: a terminal in an executor gets a command's secrets for that command, and masks them there", async () => {
    const secrets = fakeSecrets({ TOKEN: 'value-of-the-token', OTHER: 'value-of-the-other' });
    const place = elsewhere();
    const { call } = await openThere(terminal(), { secrets }, place);
    const used = await call({ command: 'echo "$TOKEN"; echo "${#TOKEN}"' });
    expect(textOf(used)).toBe('<secret-hidden>\n18');
    expect(textOf(await call({ command: 'env | grep -c value-of-the || true' }))).toBe('0');
    expect(place.passed.filter((text) => text.includes('value-of-the-token'))).toHaveLength(1);
    expect(place.passed.join('\n')).not.toContain('value-of-the-other');
  });

  test('a terminal in an executor says that a secret of a command has no value, as on this machine', async () => {
    const secrets = fakeSecrets({}, [{ name: 'GONE', reason: 'its source failed.' }]);
    const { call } = await openThere(terminal(), { secrets });
    const { fields } = await call({ command: 'echo "[$GONE]"' });
    expect(fields?.['metadata']).toMatchObject({ prefix: '[The secret GONE has no value here: its source failed.]\n' });
  });

  test('a terminal in an executor ends an interrupted command before it takes the next one', async () => {
    const { call, session } = await openThere(terminal());
    const controller = new AbortController();
    const started = join(session.workingDirectory, 'started');
    const running = call({ command: `touch ${started}; sleep 1000; echo survived > survived` }, controller.signal);
    await expect.poll(() => existsSync(started)).toBe(true);
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    expect(textOf(await call({ command: 'jobs; ls' }))).toBe('started');
  });

  test('a terminal in an executor refuses a call beside another, and leaves the first alone', async () => {
    const { call, session } = await openThere(terminal());
    const started = join(session.workingDirectory, 'started');
    const first = call({ command: 'touch started; until [ -e go ]; do sleep 0.02; done; echo first' });
    await expect.poll(() => existsSync(started)).toBe(true);
    const second = await call({ command: 'echo second' });
    expect(second).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('has not returned yet') }],
    });
    writeFileSync(join(session.workingDirectory, 'go'), '');
    expect(textOf(await first)).toBe('first');
  });

  test('a terminal in an executor rejects a call after it was closed, and starts no other shell', async () => {
    const { call, tool } = await openThere(terminal());
    await call({ command: 'true' });
    await tool.close?.();
    await expect(call({ command: 'true' })).rejects.toMatchObject({
      code: 'FAILED',
      message: 'The terminal is closed.',
    });
  });

  test('a terminal in an executor tells the model that a new executor has a new shell', async () => {
    let { executor } = elsewhere();
    const changing: Executor = { execute: (...given) => executor.execute(...given), end: (id) => executor.end(id) };
    const { call, session } = await openThere(terminal(), {}, { executor: changing, passed: [] });
    await call({ command: 'X=1' });
    await executor.end(session.conversationId);
    ({ executor } = elsewhere());
    const { content, fields } = await call({ command: 'echo "[$X]"' });
    expect(content).toMatchObject([{ text: '[]' }]);
    expect(fields?.['metadata']).toMatchObject({ prefix: expect.stringContaining('The executor has started again') });
  });

  /** Runs a command in an executor whose answer gets these members of a result. */
  async function resultWith(more: JsonObject): Promise<ToolResult> {
    const { executor } = elsewhere();
    const taken: Executor = {
      ...executor,
      execute: async (...given) => {
        const answer = await executor.execute(...given);
        return { ...answer, fields: { ...(answer['fields'] as JsonObject), ...more } };
      },
    };
    const { call } = await openThere(terminal(), {}, { executor: taken, passed: [] });
    return call({ command: 'echo out' });
  }

  test.each([
    ['content beside the content', { content: [{ type: 'image', image_urls: ['http://elsewhere'] }] }],
    ['members that no terminal has', { hidden: 'x'.repeat(2_000_000) }],
  ])('a terminal in an executor gives the result of a terminal when the answer has %s', async (_, more) => {
    const { content, fields = {} } = await resultWith(more);
    expect(content).toMatchObject([{ text: 'out' }]);
    expect(Object.keys(fields)).toEqual(['command', 'exit_code', 'timeout', 'metadata']);
  });

  test.each([
    ['an exit code that is no whole number', { exit_code: 1.5 }],
    ['no metadata', { metadata: null }],
  ])('a terminal in an executor gives no result when the answer has %s', async (_, more) => {
    await expect(resultWith(more)).rejects.toMatchObject({
      code: 'FAILED',
      message: expect.stringContaining('an answer that this terminal does not know. The outcome is unknown'),
    });
  });

  test('a terminal in an executor ends all programs of its conversation there when it closes', async () => {
    const { call, tool } = await openThere(terminal());
    const [pid = ''] = textOf(await call({ command: 'sleep 1000 & echo $!' }))
      .split('\n')
      .slice(-1);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    await tool.close?.();
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  });
});

describe('a file editor whose files are in an executor', () => {
  const path = 'FOLDER/notes/one.txt';
  test('a file editor in an executor gives the results that it gives on this machine', async () => {
    const [here, there] = await both(fileEditor, [
      { command: 'create', path, file_text: 'one\ntwo\n' },
      { command: 'create', path, file_text: 'again' },
      { command: 'view', path },
      { command: 'view', path: 'FOLDER' },
      { command: 'str_replace', path, old_str: 'two', new_str: 'zwei' },
      { command: 'str_replace', path, old_str: 'missing', new_str: 'x' },
      { command: 'insert', path, insert_line: 1, new_str: 'between' },
      { command: 'undo_edit', path },
      { command: 'view', path, view_range: [2, 2] },
      { command: 'undo_edit', path },
      { command: 'undo_edit', path },
      { command: 'undo_edit', path },
      { command: 'view', path },
      { command: 'view', path: 'FOLDER/notes/one.txt/below' },
      { command: 'str_replace', path: 'FOLDER', old_str: 'x', new_str: 'y' },
      { command: 'view', path: '/dev/null' },
    ]);
    expect(there).toEqual(here);
    expect(there?.[2]).toMatchObject({ content: [{ text: expect.stringContaining('two') }] });
  });

  test('P9: a file editor in an executor masks values of secrets that the executor never gets', async () => {
    const secrets = fakeSecrets({ TOKEN: 'value-of-the-token' });
    const place = elsewhere();
    const { call, session } = await openThere(fileEditor(), { secrets }, place);
    const file = join(session.workingDirectory, 'file');
    writeFileSync(file, 'a\nvalue-of-the-token\n');
    expect(textOf(await call({ command: 'view', path: file }))).toContain('<secret-hidden>');
    const refused = await call({ command: 'create', path: `${file}2`, file_text: '<secret-hidden>' });
    expect(refused.isError).toBe(true);
    expect(place.passed.join('\n')).not.toContain('value-of-the-token');
  });

  test('a file editor in an executor ends its conversation there when it closes', async () => {
    const { executor } = elsewhere();
    const ended: string[] = [];
    const noting: Executor = { ...executor, end: async (id) => void ended.push(id) };
    const { tool, session } = await openThere(fileEditor(), {}, { executor: noting, passed: [] });
    await tool.close?.();
    expect(ended).toEqual([session.conversationId]);
  });

  test('a file editor in an executor refuses to edit a file that another program changed', async () => {
    const { call, session } = await openThere(fileEditor());
    const file = join(session.workingDirectory, 'file');
    await call({ command: 'create', path: file, file_text: 'one\n' });
    appendFileSync(file, 'two\n');
    const { isError } = await call({ command: 'str_replace', path: file, old_str: 'one', new_str: '1' });
    expect(isError).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });
});

describe('a conversation with an executor', () => {
  const sandbox: Sandbox = { name: 'none', open: () => Promise.reject(new Error('not opened')) };

  test.each([['terminal', terminal({ sandbox })] as const, ['file editor', fileEditor({ sandbox })] as const])(
    'a conversation with an executor does not start with a %s in a sandbox of this machine',
    async (_, factory) => {
      await expect(openThere(factory)).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('start the executor with one'),
      });
    },
  );

  test('a conversation with an executor does not start MCP servers as processes on this machine', async () => {
    const provider = mcpServers({ files: { command: 'node' } });
    const session = { conversationId: crypto.randomUUID(), workingDirectory: '/', executor: elsewhere().executor };
    const options = { changed: () => undefined, signal: new AbortController().signal };
    await expect(provider.provide(session, options)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});

test('an executor refuses a request that it does not know, and says that it had no effect', async () => {
  const { executor } = elsewhere();
  const session = { conversationId: crypto.randomUUID(), workingDirectory: temporaryFolder() };
  onTestFinished(() => executor.end(session.conversationId));
  const { signal } = new AbortController();
  await expect(executor.execute(session, { tool: 'browser' }, { signal })).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('does not know this request of the tool browser'),
  });
  const misspelt = { tool: 'files', act: 'isTaken', path: '/', follow: true };
  await expect(executor.execute(session, misspelt, { signal })).rejects.toMatchObject({
    message: expect.stringMatching(/of the tool files, which has the unknown members follow; it had no effect/),
  });
});

test('an executor that cannot make the folder of a conversation says so, and acts once it can', async () => {
  const { executor } = elsewhere();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const session = { conversationId: crypto.randomUUID(), workingDirectory: join(file, 'below'), executor };
  const [shell, editor] = [await terminal().create(session), await fileEditor().create(session)];
  onTestFinished(() => editor.close?.());
  const context = { ...session, signal: new AbortController().signal, toolCallId: 'call' };
  const view = (): Promise<ToolResult> =>
    editor.execute(editor.parse({ command: 'view', path: session.workingDirectory }), context);
  const run = (): Promise<ToolResult> => shell.execute(shell.parse({ command: 'pwd' }), context);
  const reason = `cannot make the folder ${session.workingDirectory} of this conversation: `;
  await expect(run()).rejects.toMatchObject({ code: 'FAILED', message: expect.stringContaining(reason) });
  expect(textOf(await view())).toMatch(/cannot make the folder .* This call had no effect/);
  rmSync(file);
  expect((await view()).isError ?? false).toBe(false);
  expect(textOf(await run())).toBe(session.workingDirectory);
});

test('P9: onOutput gets what a command in an executor prints at once, without values of the conversation', async () => {
  const heard: string[] = [];
  const { call, session } = await openThere(terminal(), {
    secrets: fakeSecrets({ TOKEN: 'value-of-the-token' }),
    onOutput: (text) => heard.push(text),
  });
  const running = call({ command: 'echo value-of-the-token begun; until [ -e go ]; do sleep 0.02; done; echo ended' });
  await expect.poll(() => heard.join('')).toBe('<secret-hidden> begun\n');
  writeFileSync(join(session.workingDirectory, 'go'), '');
  await running;
  expect(heard.join('')).toBe('<secret-hidden> begun\nended\n');
});

test('an executor starts no shell for a call that waits while its conversation ends', async () => {
  const { executor } = elsewhere();
  const session = { conversationId: crypto.randomUUID(), workingDirectory: temporaryFolder() };
  const run = (command: string, signal: AbortSignal): Promise<JsonObject> =>
    executor.execute(session, { tool: 'terminal', input: { command }, secrets: {}, limits: {} }, { signal });
  const controller = new AbortController();
  const first = run('echo first > first', controller.signal);
  controller.abort(new Error('stop'));
  const second = run('echo second > second', new AbortController().signal);
  const ended = executor.end(session.conversationId);
  await expect(first).rejects.toThrow('stop');
  await expect(second).rejects.toThrow('ended what this conversation ran. This call had no effect');
  await ended;
  expect(existsSync(join(session.workingDirectory, 'second'))).toBe(false);
});
