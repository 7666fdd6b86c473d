import process from 'node:process';

/** Maximum bytes of a message from standard input. Conversations have a lower limit, with an error of their own. */
const MOST = 8 * 1024 * 1024;

/** Reads standard input to its end as a message, without the line ends around it. Rejects when it is blank, too long or no text. */
export async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > MOST)
      throw new Error(`standard input: expected a message of at most ${MOST / 1024 / 1024} MiB, found more`);
  }
  const bytes = Buffer.concat(pieces);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('standard input: expected a message as UTF-8 text, found other bytes', { cause });
  }
  if (text.trim() === '') throw new Error('standard input: expected a message, found nothing but blanks');
  return text.replace(/^[\r\n]+/, '').trimEnd();
}
