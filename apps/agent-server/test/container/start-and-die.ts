// A program that is killed while it uses a container.
import type { ContainerWorkspaceOptions } from '@conv/container';

import { workspaceWith } from './engine.ts';

await workspaceWith(JSON.parse(process.argv[2] ?? '{}') as Partial<ContainerWorkspaceOptions>).start();
process.kill(process.pid, 'SIGKILL');
