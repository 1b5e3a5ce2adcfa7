import { whyNoRedis } from '#platform/data/redis/testing.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomScenarios } from './rooms/room-scenarios.ts';
import { twoGateways, type Topology } from './topology.ts';

const missing = process.env['TEST_DATABASE_URL'] ? whyNoRedis() : 'it needs npm run test:postgres';

describe.skipIf(missing !== null)(`a room on two gateways${missing === null ? '' : `: ${missing}`}`, () => {
  let on: Topology;
  beforeAll(async () => {
    on = await twoGateways();
  });
  afterAll(() => on.close());

  it.each(roomScenarios)('$title', async ({ play }) => {
    await expect(play(on)).resolves.toBeUndefined();
  });
});
