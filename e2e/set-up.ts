import { freePort } from '#platform/data/redis/testing.ts';
import { seed } from './seeded.ts';

/** Before the first journey: makes the data that all journeys start from, so that none of them has to. */
const setUp = async (): Promise<void> => {
  await seed({ port: await freePort(), rtmpPort: await freePort() });
};

export default setUp;
