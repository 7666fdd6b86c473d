import { Life } from './child/life.ts';
import type { LifePlan } from './life-plan.ts';

/** `node child.js <plan as JSON>`: one process of a round, which reports to descriptor 3. */
await new Life(JSON.parse(process.argv[2] ?? '') as LifePlan).live();
