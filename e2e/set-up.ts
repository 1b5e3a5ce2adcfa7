import { freePort } from '#platform/data/redis/testing.ts';
import { seed } from './seeded.ts';

/** Before the first journey: what all of them start from, so that two that begin at once find it. */
const setUp = async (): Promise<void> => {
  await seed({ port: await freePort(), rtmpPort: await freePort() });
};

export default setUp;
