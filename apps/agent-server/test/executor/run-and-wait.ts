// A program whose conversation makes one call in an executor, and that is killed meanwhile.
import { make, openLoop, type LoopPlaces, type WantedCall } from './loop.ts';

const { places, wanted } = JSON.parse(process.argv[2] ?? '{}') as { places: LoopPlaces; wanted: WantedCall };
await make(await openLoop(places), wanted);
