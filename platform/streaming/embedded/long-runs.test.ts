import { describe, expect, it } from 'vitest';
import { joinAndLeave } from '../conformance/load/joins-and-leaves.ts';
import { moveUnderLoad } from '../conformance/load/moves-under-load.ts';
import { residentBytes } from '../conformance/load/resident.ts';
import { stage } from './hostile/stage.ts';

/** `long-runs.prove.ts` runs the same tests at full size. */
const LONG = { timeout: 60_000 };

/** Each test has its own engine, so they run concurrently. */
describe.concurrent('long runs', () => {
  it('moved under load, no packet of the new name reaches a reader of the old one', LONG, async (context) => {
    const { world } = await stage(context);
    const { moves, publicPackets, privatePackets, leaked } = await moveUnderLoad(world, 13);
    expect([moves, leaked]).toEqual([26, 0]);
    expect(Math.min(publicPackets, privatePackets)).toBeGreaterThan(200);
  });

  it('viewers that come and go by dozens leave no ghost', LONG, async (context) => {
    const { engine, world } = await stage(context, { graceMs: 1_000 });
    const { joins, ghosts } = await joinAndLeave(world, 30, () => residentBytes(engine.relayPids()[0]!));
    expect([joins, ghosts]).toEqual([30, 0]);
  });
});
