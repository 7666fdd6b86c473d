import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { crc32 } from 'node:zlib';

/** The size of `owner.json`, which is overwritten in place. */
const OWNER_BYTES = 1024;

/**
 * Replaces every owner in a folder of conversations by an ended process, because a process that a test kills is still the test's
 * child.
 */
export function signAsDead(directory: string): void {
  const { pid } = spawnSync(process.execPath, ['--version']);
  for (const name of readdirSync(directory)) {
    changeJson(join(directory, name, 'owner_lease.json'), (lease) => JSON.stringify({ ...lease, owner_pid: pid }));
    changeJson(join(directory, name, '.conv', 'owner.json'), (owner) => {
      const { crc: _, ...record } = owner;
      const text = JSON.stringify({ ...record, process: { ...(record['process'] as object), pid } });
      return `${`${text.slice(0, -1)},"crc":${crc32(text)}}`.padEnd(OWNER_BYTES - 1)}\n`;
    });
  }
}

function changeJson(file: string, change: (content: Record<string, unknown>) => string): void {
  if (!existsSync(file)) return;
  writeFileSync(file, change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>));
}
