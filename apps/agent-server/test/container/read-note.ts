// A program that finds a container by its name, reads a file of it, and removes it.
import type { ContainerWorkspaceOptions } from '@conv/container';

import { workspaceWith } from './engine.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as Partial<ContainerWorkspaceOptions>;
await using workspace = workspaceWith({ ...options, keep: 'removed' });
const server = await workspace.start();
process.stdout.write(await server.download(`${workspace.workingDir}/note.txt`));
