#!/usr/bin/env node
import { keepCompiledCode } from './start/compiled-code.ts';
import { startWithoutKeys } from './start/hand-over.ts';
import { refuseOldNode } from './start/refuse-old-node.ts';

refuseOldNode('conv-server');
startWithoutKeys();
keepCompiledCode();
// read only now: the first start ends above
const { runServerProgram } = await import('./program.ts');
await runServerProgram();
