import { once } from 'node:events';
import process from 'node:process';

import { auditTrail } from '@conv/server/records';
import { openRegistry, openStore } from '@conv/stores';
import { plainText } from '@conv/visualize/text';

import type { Sources } from '../configuration/read-configuration.ts';
import { messageOf } from '../error-description.ts';
import { configurationOf } from './settings.ts';

/** Prints the decisions on risk and the uses of keys in all conversations, or in one of them. It reads only, so servers may run meanwhile. */
export async function printAuditTrail(options: Sources['options'], conversation: string | undefined): Promise<void> {
  const configuration = await configurationOf(options);
  if (!configuration) return;
  try {
    const opened = await openStore(configuration.store);
    try {
      const kept = await openRegistry(configuration.store, configuration.settingsFolder);
      try {
        const which = { registry: kept.registry, ...(conversation === undefined ? {} : { conversation }) };
        for await (const entry of auditTrail(opened.store, which))
          if (!process.stdout.write(`${JSON.stringify(entry)}\n`)) await once(process.stdout, 'drain');
      } finally {
        await kept.close();
      }
    } finally {
      await opened.close();
    }
  } catch (error) {
    process.stderr.write(`${plainText(messageOf(error))}\n`);
    process.exitCode = 1;
  }
}
