import type { Caller } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { purchases } from '#product/accounts/extension-points.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { mayChat, seesPhone } from '../rules.ts';
import { isFlagged } from '../store/chat.ts';

interface Parts {
  readonly accounts: AccountsService;
  readonly site: SiteService;
  readonly extensions: Extensions;
}

/** The one place that decides whether chat with support is open to a caller. */
export async function isChatOpen(parts: Parts, tx: Tx, { personId }: Caller): Promise<boolean> {
  const { supportChatForAll } = await parts.site.settingsIn(tx);
  const person = personId === null ? null : await parts.accounts.findById(tx, personId);
  const hasCard = person !== null
    && (await parts.extensions.one(purchases)(tx, person.id)).purchases.has_cc;
  return mayChat({ type: person?.type ?? null, hasCard }, supportChatForAll);
}

/** Support's telephone number for a person who may see it; null for everybody else. */
export async function phoneFor(
  { site, extensions }: Parts,
  tx: Tx,
  personId: number,
): Promise<string | null> {
  const { supportPhone } = await site.settingsIn(tx);
  if (supportPhone === null) return null;
  const { user: { membership } } = await extensions.one(purchases)(tx, personId);
  return seesPhone({ membership, isFlagged: await isFlagged(tx, personId) }) ? supportPhone : null;
}
