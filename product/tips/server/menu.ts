import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { topicChannel } from '#platform/contract/event.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { menuChanged, menuItemUnknown, saveTipMenu, titleEmpty } from '../contract/menu.ts';
import { toolsChanged } from '../contract/tools.ts';
import { titleOf } from '../rules.ts';
import { lockTips } from '../store.ts';
import { findMenu, replaceMenu } from '../store/menu.ts';
import type { TipsDependencies } from './dependencies.ts';

/** The performer's menu. Items never change, so that viewers pay for, and get, the item they read. */
export function menuHandlers({ data }: TipsDependencies): CallHandler[] {
  return [
    handleCall(saveTipMenu)(async ({ items }, context) =>
      data.tx(context.scope, async (tx) => {
        const performerId = context.personId;
        const asked = items.map((item) => ({ ...item, title: titleOf(item.title) }));
        if (asked.some(({ title }) => title === '')) return context.refuse(titleEmpty);
        await lockTips(tx, 'menu', performerId);
        const known = new Map((await findMenu(tx, performerId)).map((item) => [item.id, item]));
        const ids = asked.flatMap(({ id }) => id ?? []);
        // An item must be the performer's own, still on the menu, and listed once.
        if (new Set(ids).size !== ids.length || ids.some((id) => !known.has(id))) {
          return context.refuse(menuItemUnknown);
        }
        await replaceMenu(
          tx,
          performerId,
          asked.map(({ id, title, price }) => {
            const before = id === undefined ? undefined : known.get(id);
            const isSame = before?.title === title && before.price === price;
            return { id: isSame ? before.id : null, title, price };
          }),
        );
        const menu = await findMenu(tx, performerId);
        await tx.send(topicChannel(roomTopic(performerId)), menuChanged, { items: menu });
        if ((known.size > 0) !== (menu.length > 0)) {
          await tx.publish(toolsChanged, `performer:${performerId}`, { performerId });
        }
        return { items: menu };
      })
    ),
  ];
}
