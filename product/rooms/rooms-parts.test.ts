import { ExtensionRegistry, implement } from '#platform/contract/extension-point.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { roomParts } from './extension-points.ts';
import { roomPart, type RoomPart } from './rules/room-part.ts';
import { checkParts, partSource } from './server.ts';

const gardenPart = roomPart({
  key: 'garden',
  shape: z.object({ auth: z.object({ plot: z.int() }) }),
  empty: { auth: { plot: 0 } },
  updateShape: z.object({ bloom: z.boolean() }),
  emptyUpdate: { bloom: false },
});

/** A site whose slice `garden` owns {@link gardenPart}, and whose slice `more` owns `part`. */
function siteWith(part: RoomPart): ExtensionRegistry {
  const extensions = new ExtensionRegistry();
  const added = (
    item: RoomPart,
  ) => [implement(roomParts, partSource({ part: item, load: async () => item.empty }))];
  extensions.connect([
    { name: 'rooms', extensionPoints: { roomParts } },
    { name: 'garden', extensions: added(gardenPart) },
    { name: 'more', extensions: added(part) },
  ]);
  return extensions;
}
const nothing = z.object({});

describe('the parts of a room', () => {
  it('have a key and fields of their own', () => {
    const pond = roomPart({
      key: 'pond',
      shape: z.object({ auth: z.object({ pond: z.int() }) }),
      empty: { auth: { pond: 0 } },
      updateShape: z.object({ ducks: z.int() }),
      emptyUpdate: { ducks: 0 },
    });
    expect(() => checkParts(siteWith(pond))).not.toThrow();
  });

  it('stop the start when a field or a key has two owners', () => {
    const refused: readonly [RoomPart, RegExp][] = [
      [roomPart({ key: 'garden', shape: nothing, empty: {} }), /two room parts have the key garden/u],
      [
        roomPart(
          {
            key: 'pond',
            shape: z.object({ auth: z.object({ plot: z.int() }) }),
            empty: { auth: { plot: 1 } },
          },
        ),
        /pond\.auth defines plot/u,
      ],
      [
        roomPart({ key: 'pond', shape: z.object({ username: z.string() }), empty: { username: '' } }),
        /pond defines username/u,
      ],
      [
        roomPart({
          key: 'pond',
          shape: nothing,
          empty: {},
          updateShape: z.object(
            { bloom: z.int() },
          ),
          emptyUpdate: { bloom: 1 },
        }),
        /pond defines bloom/u,
      ],
      [
        roomPart({
          key: 'pond',
          shape: nothing,
          empty: {},
          updateShape: z.object(
            { status: z.string() },
          ),
          emptyUpdate: { status: '' },
        }),
        /pond defines status/u,
      ],
    ];
    for (const [part, error] of refused) expect(() => checkParts(siteWith(part))).toThrow(error);
  });
});
