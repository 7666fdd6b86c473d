#!/usr/bin/env node
import { startWithoutKeys } from './start/hand-over.ts';

startWithoutKeys();
// read only now: the first start ends above
await import('./program.ts');
