import type { Tx } from '#platform/data/data.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import type { TicketRow, TicketShowRow } from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';

/** To ticket holders wherever they are: the show has started. */
const SHOW_STARTED: NoticeKind = {
  name: 'shows:notices.ticketShowStarted',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'push'],
};
/** To ticket holders: the show did not run as agreed, and the tokens were given back. */
const TICKET_RETURNED: NoticeKind = {
  name: 'shows:notices.ticketReturned',
  channels: ['app', 'email', 'push'],
  usual: ['app'],
};
export const NOTICE_KINDS: readonly NoticeKind[] = [SHOW_STARTED, TICKET_RETURNED];

/** Most people notified by one call. */
const NOTIFIED_AT_ONCE = 500;

/** Notifies the ticket holders, once, that the show they paid for has started. */
export async function noticeStart(
  { accounts, notices }: Pick<ShowsDependencies, 'accounts' | 'notices'>,
  tx: Tx,
  { id, performer_id: performerId }: TicketShowRow,
  holderIds: readonly number[],
): Promise<void> {
  const performer = await accounts.findById(tx, performerId);
  if (!performer) return;
  for (let from = 0; from < holderIds.length; from += NOTIFIED_AT_ONCE) {
    await notices.notifyMany(tx, {
      personIds: holderIds.slice(from, from + NOTIFIED_AT_ONCE),
      kind: SHOW_STARTED.name,
      values: { name: performer.displayName, username: performer.username },
      link: `/${performer.username}`,
      once: `ticket show:${id}`,
    });
  }
}

/**
 * Notifies somebody that a ticket was given back.
 * @param tokens everything given back, including a recording bought with the ticket
 */
export async function noticeReturn(
  { accounts, notices }: Pick<ShowsDependencies, 'accounts' | 'notices'>,
  tx: Tx,
  { performer_id: performerId }: TicketShowRow,
  { ticket: { id, viewer_id: personId }, tokens }: {
    readonly ticket: TicketRow;
    readonly tokens: number;
  },
): Promise<void> {
  const performer = await accounts.findById(tx, performerId);
  if (!performer) return;
  await notices.notify(tx, {
    personId,
    kind: TICKET_RETURNED.name,
    values: { name: performer.displayName, username: performer.username, tokens },
    link: '/account/shows',
    once: `ticket returned:${id}`,
  });
}
