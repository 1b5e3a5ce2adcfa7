import { EMPTY_LIVE_ROOM, partStateOf, reduceRoom } from '#product/rooms/rules/live-room.ts';
import { expect, it } from 'vitest';
import { mediaChanged } from './contract.ts';
import { mediaWaitMs, shopReducer } from './rules.ts';

it('changed media are counted', () => {
  const changed = { name: mediaChanged.name, payload: {}, seq: null };
  const once = reduceRoom(EMPTY_LIVE_ROOM, changed, { reducers: [shopReducer] });
  const twice = reduceRoom(once, changed, { reducers: [shopReducer] });
  expect([EMPTY_LIVE_ROOM, once, twice].map((room) => partStateOf(room, shopReducer).mediaChanges))
    .toEqual([0, 1, 2]);
  expect({ ...twice, parts: {} }).toEqual(EMPTY_LIVE_ROOM);
});

it('a page asks for them after 2 to 12 s', () => {
  expect([0, 0.5, 1].map(mediaWaitMs)).toEqual([2_000, 7_000, 12_000]);
});
