#!/usr/bin/env node
import { startWithoutKeys } from './start/hand-over.ts';
import { refuseOldNode } from './start/refuse-old-node.ts';

refuseOldNode('conv-server');
startWithoutKeys();
// read only now: the first start ends above
const { runServerProgram } = await import('./program.ts');
await runServerProgram();
