import { serve } from './server/serve.ts';
import type { ServerPlan } from './server/server-plan.ts';

/** `node server.js <plan as JSON>`: a server of the doors, which prints its port when it listens. */
const { port } = await serve(JSON.parse(process.argv[2] ?? '') as ServerPlan);
process.stdout.write(`${port}\n`);
// end this process when its parent has ended
process.stdin.resume().on('end', () => process.exit());
