import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Opens a text in the editor that VISUAL or EDITOR names, else vi. Resolves with the text as it was saved; rejects when the editor
 * cannot be started or fails. The file is for this user alone and removed afterwards.
 */
export async function editText(text: string): Promise<string> {
  const editor = process.env['VISUAL']?.trim() || process.env['EDITOR']?.trim() || 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'conv-'));
  try {
    const file = join(folder, 'message.md');
    await writeFile(file, text, { mode: 0o600 });
    await run(editor, file);
    return (await readFile(file, 'utf8')).trimEnd();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onFailure = (why: string): void =>
      reject(
        new Error(`the editor ${JSON.stringify(editor)} ${why}; set VISUAL or EDITOR to the command of an editor`),
      );
    // the variable may hold arguments, as in `code --wait`, so a shell reads it
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.once('error', (error) => onFailure(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else onFailure(code === 127 ? 'was not found' : `ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}
