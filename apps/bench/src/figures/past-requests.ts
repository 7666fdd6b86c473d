import { BucketPlace } from '../bucket-place.ts';
import type { Figure } from '../figure.ts';
import { pastOf, REGION, singly } from './past-log.ts';

/** The most requests for looks at points of a region of a log in a bucket, after a first look at the log. */
export async function requestsOnS3(size: number): Promise<Figure> {
  await using place = await BucketPlace.open();
  const reader = await place.store().read(await singly(place.store(), size));
  if (!reader) throw new Error('the conversation is not there');
  const past = await pastOf(reader);
  await past.outline();
  let most = 0;
  for (let region = 0; region + REGION <= size; region += REGION) {
    place.forget();
    for (let look = 0; look < REGION; look += 23) {
      const event = region + ((look * 389) % REGION);
      const { commit } = await past.at({ event });
      if (commit?.firstEvent !== event) throw new Error(`expected the commit of event ${event}, found ${commit?.seq}`);
    }
    most = Math.max(most, place.asked.requests);
  }
  await reader.close();
  const target = { of: 'value', is: 'at most', limit: 3 } as const;
  return { name: `s3.past.requests.${size}`, value: most, unit: 'requests', baseline: null, ratio: null, target };
}
