import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
import process from 'node:process';

// Preloaded into a process: when it ends, the URLs of the modules that it loaded stand in a file.

/** @type {string[]} */
const loaded = [];

registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

process.on('exit', () => writeFileSync(process.env['NODE_LOADED_MODULES'] ?? '', JSON.stringify(loaded)));
