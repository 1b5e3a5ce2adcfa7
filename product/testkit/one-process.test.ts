import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomScenarios } from './rooms/room-scenarios.ts';
import { oneProcess, type Topology } from './topology.ts';

describe('a room in one process', () => {
  let on: Topology;
  beforeAll(async () => {
    on = await oneProcess();
  });
  afterAll(() => on.close());

  it.each(roomScenarios)('$title', async ({ play }) => {
    await expect(play(on)).resolves.toBeUndefined();
  });
});
