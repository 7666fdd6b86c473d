import process from 'node:process';

/** Prints the link with a token that was just made. */
export function showLink(url: string, token: string): void {
  const text = [
    `Open ${url}/?token=${token}`,
    'Programs send the token as X-Session-API-Key. It is shown only now, because the server stores only its hash.',
  ];
  process.stdout.write(`${text.join('\n')}\n`);
}
