// A server that stops for ever at one of its changes of a usage record, before or after it is stored, and says so.
import process from 'node:process';

import { openRegistry, openStore } from '@conv/stores';

import { startCounting } from './counting-server.ts';

const [folder = '', at = '', when = ''] = process.argv.slice(2);

const address = `fs:${folder}/store`;
const { registry } = await openRegistry(address, folder);
const kept = registry;
const put = kept.put.bind(kept);
let puts = 0;
registry.put = async (kind, ...rest) => {
  const isLast = kind === 'usage' && ++puts === Number(at);
  if (isLast && when === 'before') await stopped();
  const version = await put(kind, ...rest);
  if (isLast) await stopped();
  return version;
};

function stopped(): Promise<never> {
  process.send?.('stopped');
  return new Promise(() => {});
}

const server = await startCounting({
  folder: `${folder}/store`,
  store: (await openStore(address)).store,
  registry,
  daily: { runs: 5, cost: 1 },
});
process.send?.(server.url);
