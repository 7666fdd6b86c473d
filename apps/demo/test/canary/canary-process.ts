import { once } from 'node:events';
import process from 'node:process';

import { liveFirst } from './first-life.ts';
import type { Order } from './order.ts';
import { liveAgain } from './second-life.ts';
import { Stack } from './stack.ts';

const [order] = (await once(process, 'message')) as [Order];
const stack = new Stack(order);
if (order.life === 'first') await liveFirst(stack, order);
else await liveAgain(stack, order);
process.disconnect();
