import { Writer } from './child/writer.ts';
import type { WriterPlan } from './writer-plan.ts';

/** `node writer.js <plan as JSON>`: one of two writers, which reports to descriptor 3. */
await new Writer(JSON.parse(process.argv[2] ?? '') as WriterPlan).write();
