import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeFrameHeader, FRAME_HEADER_BYTES } from '../../src/log/frame.ts';

/** Flips a bit in the payload of the frame that holds a commit. `folder`: of the conversation. */
export async function damageRecord(folder: string, seq: number): Promise<void> {
  const log = join(folder, '.conv');
  for (const name of (await readdir(log)).filter((one) => one.endsWith('.wal'))) {
    const bytes = await readFile(join(log, name));
    for (let offset = 0; offset < bytes.length;) {
      const header = decodeFrameHeader(bytes, offset);
      if (!header) break;
      offset += FRAME_HEADER_BYTES;
      if (header.kind === 'commit' && header.seq === seq) bytes[offset + 5] = (bytes[offset + 5] ?? 0) ^ 1;
      offset += header.length;
    }
    await writeFile(join(log, name), bytes);
  }
}
