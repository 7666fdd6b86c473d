import { afterAll } from 'vitest';

import { removeFolders } from './new-folder.ts';

// Files of one worker share their modules, so a hook in a module would clean up behind the first file alone. This file runs
// again in front of each.
afterAll(removeFolders);
