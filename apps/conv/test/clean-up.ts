import { afterAll } from 'vitest';

import { killServers } from './agent-server.ts';
import { removeFolders } from './new-folder.ts';

// Files of one worker share their modules, so a hook in a module would clean up behind the first file alone. This file runs
// again in front of each.
afterAll(() => {
  killServers();
  removeFolders();
});
