import { fileURLToPath } from 'node:url';

/**
 * The file of the program `conv-server`, to be started with Node: `spawn(process.execPath, [serverProgram, '--port', '0'])`. It logs
 * `listening` with its URL to standard error, and ends in order at SIGINT and SIGTERM.
 */
export const serverProgram: string = fileURLToPath(new URL('main.js', import.meta.url));
