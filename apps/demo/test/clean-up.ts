import { afterAll } from 'vitest';

import { removeFolders } from './new-folder.ts';

// Files of one worker share their modules, so this runs again in front of each of them.
afterAll(removeFolders);
