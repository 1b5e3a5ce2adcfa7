import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { MAX_MENU_ITEMS, MAX_TIP_TOKENS, MAX_TITLE_LENGTH, MIN_TIP_TOKENS } from '../rules.ts';

const slice = 'tips';
export const menuItemUnknown = refusal({
  slice,
  code: 'menu_item_unknown',
  kind: 'absent',
  description: 'The performer\'s menu has no such item (any more).',
});
export const menuPriceDiffers = refusal({
  slice,
  code: 'menu_price_differs',
  kind: 'conflict',
  description: 'The amount is not the price of the item (`price`).',
});
export const titleEmpty = refusal({
  slice,
  code: 'title_empty',
  kind: 'invalid',
  description: 'Nothing is left of the title.',
});
const Title = z.string().max(MAX_TITLE_LENGTH);
/** Tokens of one tip: for a menu item, a split, or an amount somebody types. */
export const TipTokens = z.int().min(MIN_TIP_TOKENS).max(MAX_TIP_TOKENS);

export const MenuItem = z.object({ id: z.int(), title: z.string(), price: z.int() });
export type MenuItemView = z.infer<typeof MenuItem>;

export const saveTipMenu = call({
  name: 'tips.saveTipMenu',
  method: 'POST',
  path: '/tips/menu',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    items: z.array(z.object({ id: z.int().positive().optional(), title: Title, price: TipTokens }))
      .max(MAX_MENU_ITEMS),
  }),
  output: z.object({ items: z.array(MenuItem) }),
  refusals: [menuItemUnknown, titleEmpty],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Save the own tip menu',
  description: 'The whole menu in its order. An item keeps its `id` as long as title and price stay; a '
    + 'changed one gets another, and the old one can be ordered a little longer.',
});
export const menuChanged = event({
  name: 'v3.tip.menu',
  socket: 'room',
  from: 'server',
  shape: z.object({ items: z.array(MenuItem) }),
  description: 'The tip menu of the room is another one.',
});
