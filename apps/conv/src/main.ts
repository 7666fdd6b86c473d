#!/usr/bin/env node
import { refuseOldNode } from './refuse-old-node.ts';

refuseOldNode();
// read only now: an old Node could not read it
const { runConv } = await import('./run-conv.ts');
await runConv();
