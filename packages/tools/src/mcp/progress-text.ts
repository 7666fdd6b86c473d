import type { Progress } from '@modelcontextprotocol/client';

/** Returns a server's report on a running call as a line for people. */
export function progressText({ progress, total, message }: Progress): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${message} (${done})\n` : `${done}\n`;
}
