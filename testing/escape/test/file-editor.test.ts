import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import type { SandboxOptions } from '@conv/sandbox';
import type { ToolResult } from '@conv/core/tool';
import { fileEditor } from '@conv/tools';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { isHere } from './is-here.ts';
import { type ConfinedConversation, confinedConversation, newFolder } from './support.ts';

interface Editor extends ConfinedConversation {
  readonly description: string;
  readonly at: (name: string) => string;
  readonly call: (input: Record<string, unknown>) => Promise<ToolResult>;
  /** Resolves with the words for the model. */
  readonly say: (input: Record<string, unknown>) => Promise<string>;
}

async function openEditor(options: SandboxOptions = {}): Promise<Editor> {
  const conversation = confinedConversation(options);
  const { session, workspace } = conversation;
  const tool = await fileEditor({ sandbox: conversation.sandbox }).create(session);
  onTestFinished(() => tool.close?.());
  const call = (input: Record<string, unknown>): Promise<ToolResult> =>
    tool.execute(tool.parse(input), { ...session, signal: new AbortController().signal, toolCallId: 'call' });
  const say = async (input: Record<string, unknown>): Promise<string> =>
    (await call(input)).content.map((part) => ('text' in part ? part.text : '[image]')).join('\n');
  return { ...conversation, description: tool.description, at: (name) => join(workspace, name), call, say };
}

const replace = (path: string, old_str: string, new_str: string) => ({
  command: 'str_replace',
  path,
  old_str,
  new_str,
});

describe.skipIf(!isHere)('the file editor in a sandbox', () => {
  test('the file editor in a sandbox creates, views, edits and undoes as without one', async () => {
    const { at, call, say } = await openEditor();
    const path = at('a/b/c.txt');
    expect(await call({ command: 'create', path, file_text: 'one\ntwo\n' })).toMatchObject({
      fields: { path, prev_exist: false, new_content: 'one\ntwo\n' },
    });
    expect(await say({ command: 'view', path })).toContain('     2\ttwo');
    expect(await call(replace(path, 'two', '2'))).toMatchObject({ fields: { old_content: 'one\ntwo\n' } });
    await call({ command: 'insert', path, insert_line: 0, new_str: 'zero' });
    expect(readFileSync(path, 'utf8')).toBe('zero\none\n2\n');
    for (const left of ['one\n2\n', 'one\ntwo\n']) {
      await call({ command: 'undo_edit', path });
      expect(readFileSync(path, 'utf8')).toBe(left);
    }
    await call({ command: 'undo_edit', path });
    expect(readdirSync(at('a/b'))).toEqual([]);
  });

  test('the file editor in a sandbox shows images and folders, two levels deep', async () => {
    const { at, call, say, workspace } = await openEditor();
    mkdirSync(at('one/two'), { recursive: true });
    writeFileSync(at('one/two/three'), '');
    writeFileSync(at('image.png'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    expect(await call({ command: 'view', path: at('image.png') })).toMatchObject({ content: [{}, { type: 'image' }] });
    expect((await say({ command: 'view', path: workspace })).split('\n').slice(1)).toEqual([
      at('image.png'),
      `${at('one')}/`,
      `${at('one/two')}/`,
    ]);
  });

  test.each(['/tmp/made/file', join(homedir(), 'made/file')])(
    'the file editor in a sandbox shares %s with commands',
    async (path) => {
      const { call, run, say } = await openEditor();
      await call({ command: 'create', path, file_text: 'by the editor' });
      expect(await run(`cat ${path}; echo by a command >${path}`)).toBe('by the editor');
      expect(await say({ command: 'view', path })).toContain('by a command');
      expect(existsSync(path)).toBe(false);
    },
  );

  test('the file editor follows links as commands do, also into the home and /tmp of the sandbox', async () => {
    const { at, call, run, say } = await openEditor();
    await run('mkdir /tmp/build; echo built >/tmp/build/out; ln -s /tmp/build build; ln -s build/out out');
    for (const path of [at('build/out'), at('out')]) expect(await say({ command: 'view', path })).toContain('built');
    expect(await say({ command: 'view', path: at('build') })).toContain(`${at('build')}/out`);
    await call(replace(at('out'), 'built', 'edited'));
    await call({ command: 'create', path: at('build/new/file'), file_text: 'new' });
    expect(await run('cat /tmp/build/out /tmp/build/new/file')).toBe('edited\nnew');
    expect(lstatSync(at('out')).isSymbolicLink()).toBe(true);
  });

  test('the file editor refuses what is outside in words that name it, and does not tell if it is there', async () => {
    const { at, call, outside } = await openEditor();
    const path = join(outside, 'key');
    symlinkSync(outside, at('link'));
    const calls = (file: string) => [
      { command: 'view', path: file },
      { command: 'create', path: file, file_text: 'x' },
      replace(file, 'secret', 'x'),
      { command: 'insert', path: file, insert_line: 0, new_str: 'x' },
      { command: 'undo_edit', path: file },
    ];
    const said: string[][] = [[], []];
    for (const [index, content] of ['', 'secret'].entries()) {
      if (content) writeFileSync(path, content);
      for (const input of [...calls(path), ...calls(at('link/key'))]) {
        const result = await call(input);
        expect(result).toMatchObject({ isError: true, fields: { prev_exist: false } });
        said[index]?.push(JSON.stringify(result.content));
      }
    }
    expect(said[0]).toEqual(said[1]);
    expect(said[0]?.join('')).toContain(path);
    expect(readFileSync(path, 'utf8')).toBe('secret');
    expect(readdirSync(outside)).toEqual(['key']);
  });

  test('the file editor in a sandbox views, and does not change, what is only read', async () => {
    const data = newFolder();
    writeFileSync(join(data, 'file'), 'content');
    const { call, say } = await openEditor({ read: [data] });
    expect(await say({ command: 'view', path: join(data, 'file') })).toContain('content');
    expect(await call(replace(join(data, 'file'), 'content', 'x'))).toMatchObject({ isError: true });
    expect(await call({ command: 'create', path: join(data, 'new/file'), file_text: 'x' })).toMatchObject({
      isError: true,
    });
    expect(readdirSync(data)).toEqual(['file']);
    expect(readFileSync(join(data, 'file'), 'utf8')).toBe('content');
  });

  test('the file editor in a sandbox does not show what is hidden in a folder', async () => {
    const data = newFolder();
    mkdirSync(join(data, 'hidden'));
    writeFileSync(join(data, 'hidden/key'), 'secret');
    const { say } = await openEditor({ read: [data], hide: [join(data, 'hidden')] });
    expect(await say({ command: 'view', path: data })).not.toContain('key');
    expect(await say({ command: 'view', path: join(data, 'hidden/key') })).not.toContain('secret');
  });

  test('the file editor in a sandbox tells the model the rules', async () => {
    const { description, workspace } = await openEditor({ network: 'closed' });
    expect(description).toContain('This tool views and changes the files that commands in the sandbox reach');
    expect(description).toContain(workspace);
  });

  test('the file editor removes the sandbox when the conversation closes', async () => {
    const { directory, session, sandbox } = confinedConversation();
    const tool = await fileEditor({ sandbox }).create(session);
    expect(readdirSync(directory)).toHaveLength(1);
    await tool.close?.();
    expect(readdirSync(directory)).toEqual([]);
  });
});

test('a file editor whose sandbox cannot be had is refused', async () => {
  const { sandbox, session } = confinedConversation();
  vi.stubEnv('PATH', '/nonexistent');
  onTestFinished(() => void vi.unstubAllEnvs());
  const creating = async (): Promise<unknown> => fileEditor({ sandbox }).create(session);
  await expect(creating()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
});
