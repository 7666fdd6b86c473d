/**
 * The web UI's own static server as a process of its own, told by its parent what to serve; it ends with its parent.
 *
 *     fork('canvas-process.mjs', [FOLDER OF THE WEB UI, …arguments of its server])
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [canvas, ...args] = process.argv.slice(2);
const { parseArgs, startStaticServer } = await import(pathToFileURL(join(canvas, 'scripts/static-server.mjs')).href);
const server = await startStaticServer(parseArgs(['--dir', join(canvas, 'build'), ...args]));
process.on('disconnect', () => process.exit());
process.send?.({ port: server.address().port });
