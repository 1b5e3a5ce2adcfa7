import { getStreamerSettings } from '#product/broadcast/contract/settings.ts';
import { startRecording, stopRecording } from '#product/recordings/contract.ts';
import { chatUpdate, getRoom, type RoomDataView } from '#product/rooms/contract.ts';
import { withEvent } from '#product/rooms/rules/room-data.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { addGoal, endGoal } from '#product/tips/contract/goals.ts';
import { saveTipMenu } from '#product/tips/contract/menu.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appsChanged, roomAppsPart } from './contract.ts';
import { roomAppsReducer } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const modulesIn = (room: RoomDataView): readonly number[] =>
  readPart(room, roomAppsPart).chat.installedModuleIdList;

/** A viewer in a live room, whose page follows its events. */
async function stage() {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer({ tokens: 100 });
  const socket = await viewer.joins(performer);
  const loaded = await viewer.call(getRoom, { username: performer.username });
  /** Modules of the room as the page has them, as it would load them, and as a late client receives them. */
  const expectModules = async (expected: readonly number[]): Promise<void> => {
    await site.settle();
    await expect.poll(() => socket.received(appsChanged).at(-1)?.module_ids ?? []).toEqual(expected);
    const page = socket.received(appsChanged).reduce(
      (room, payload) =>
        withEvent(room, { name: appsChanged.name, payload }, { reducers: [roomAppsReducer] }),
      loaded,
    );
    expect(modulesIn(page)).toEqual(expected);
    expect(modulesIn(await viewer.call(getRoom, { username: performer.username }))).toEqual(expected);
    const late: TestSocket = await (await site.viewer()).joins(performer);
    expect(await late.waitFor(chatUpdate)).toMatchObject({ module_ids: expected, app_ids: [] });
  };
  return { performer, viewer, socket, expectModules };
}

const adds = (performer: Member, target: number) => performer.call(addGoal, { title: 'Dance', target });

describe('tools that a performer starts', () => {
  it('a tip goal has the session type 1, until it is ended or reached [C-416]', async () => {
    const { performer, viewer, expectModules } = await stage();
    await expectModules([]);
    const { goals } = await adds(performer, 50);
    await expectModules([1]);
    await performer.call(endGoal, { id: goals[0]?.id ?? 0 });
    await expectModules([]);
    await adds(performer, 50);
    await expectModules([1]);
    await viewer.tips(performer, 50);
    await expectModules([]);
  });

  it('a tip menu has the session type 57, while it has items [C-417]', async () => {
    const { performer, expectModules } = await stage();
    await performer.call(saveTipMenu, { items: [{ title: 'Wave', price: 5 }] });
    await expectModules([57]);
    await adds(performer, 50);
    await expectModules([1, 57]);
    await performer.call(saveTipMenu, { items: [] });
    await expectModules([1]);
  });

  it('others have unused session types: a recording is 102 while it runs [C-419]', async () => {
    const { performer, expectModules } = await stage();
    const { session_types: codes } = await performer.call(getStreamerSettings, {});
    expect(codes).toEqual({
      tip_goal: 1,
      lovense: 53,
      tip_menu: 57,
      streamer_settings: 101,
      recording: 102,
      standby: 103,
      pre_show_test: 104,
    });
    await performer.call(startRecording, { consent: true });
    await expectModules([102]);
    await performer.call(stopRecording, {});
    await expectModules([]);
  });

  it('are sent with apps and modules when they change', async () => {
    const { performer, socket } = await stage();
    await adds(performer, 50);
    await site.settle();
    expect(await socket.waitFor(appsChanged)).toEqual({ app_ids: [], module_ids: [1] });
  });
});
