import process from 'node:process';

/** Prints the start link of a browser. It works once, within ten minutes. */
export function showLink(link: string): void {
  process.stdout.write(`Open ${link}\nThe link works once, within ten minutes.\n`);
}

/** Prints a token that was just made. */
export function showToken(token: string): void {
  const text = [
    `Token ${token}`,
    'Programs send the token as X-Session-API-Key. It is shown only now, because the server stores only its hash.',
  ];
  process.stdout.write(`${text.join('\n')}\n`);
}
