import { serve } from './server/serve.ts';
import type { ServerPlan } from './server-plan.ts';

/** `node server.js <plan as JSON>`: an agent server, which prints its port when it listens. */
process.stdout.write(`${await serve(JSON.parse(process.argv[2] ?? '') as ServerPlan)}\n`);
// end this process when its parent has ended
process.stdin.resume().on('end', () => process.exit());
