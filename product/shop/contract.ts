import { event } from '#platform/contract/event.ts';
import { roomPart } from '#product/rooms/rules/room-part.ts';
import { z } from 'zod';

/** The performer's pictures and videos, for the page of her room. */
export const shopPart = roomPart({
  key: 'shop',
  shape: z.object({ userMediaList: z.array(z.object({ id: z.int(), created_at: z.string() })) }),
  empty: { userMediaList: [] },
});

export const mediaChanged = event({
  name: 'v3.chat.update_media_list',
  socket: 'room',
  from: 'server',
  shape: z.object({}),
  description: 'The performer\'s media changed: a page asks for them again after a random 2 to 12 s, so that '
    + 'a full room does not ask in one moment.',
  requirements: ['B-369'],
});
