import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import {
  deleteNotice,
  listNotices,
  listOutbox,
  markAllNotices,
  markNotice,
  noticeUnknown,
  type NoticeView,
} from '../contract.ts';
import { maskedPhone, NOTICES_PAGE, OUTBOX_PAGE, type NoticeName } from '../rules.ts';
import { countUnread, findNotices, saveAllRead, saveRead, unlist, type NoticeRow } from '../store.ts';
import { listMessages } from '../store/outbox.ts';
import type { Notifier } from './notifier.ts';

interface ListDependencies {
  readonly data: Data;
  readonly text: TextOf;
  readonly notifier: Notifier;
}

export const unreadOf = async (tx: Tx, personId: number): Promise<number> =>
  (await countUnread(tx, [personId])).get(personId) ?? 0;

/** Calls for the caller's own list. */
export function listHandlers({ data, text, notifier }: ListDependencies): CallHandler[] {
  const viewOf = (row: NoticeRow, locale: string): NoticeView => {
    const { id, kind, values, link, created_at: at, read_at: readAt } = row;
    const name = kind as NoticeName;
    return {
      id,
      kind,
      link,
      at: at.toISOString(),
      read: readAt !== null,
      title: text(locale, `${name}.title`, values),
      text: text(locale, `${name}.text`, values),
    };
  };
  /** The unread count after a change, sent to all tabs of the person. */
  const changed = async (tx: Tx, personId: number): Promise<{ unread: number }> => {
    await notifier.sendCounts(tx, [personId]);
    return { unread: await unreadOf(tx, personId) };
  };
  return [
    handleCall(listNotices)(({ before = null, unread = false }, { scope, personId, locale }) =>
      data.tx(scope, async (tx) => {
        const rows = await findNotices(tx, personId, {
          before,
          isUnread: unread,
          limit: NOTICES_PAGE + 1,
        });
        const { page, next } = pageOf(rows, NOTICES_PAGE);
        return {
          // A kind that a later version dropped has no texts any more.
          notices: page.filter(({ kind }) => notifier.kinds.has(kind)).map((row) => viewOf(row, locale)),
          next,
          unread: await unreadOf(tx, personId),
        };
      })
    ),
    handleCall(markNotice)(({ id, read }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        if (!(await saveRead(tx, personId, id, read))) return refuse(noticeUnknown);
        return { id, read, ...await changed(tx, personId) };
      })
    ),
    handleCall(markAllNotices)(({ up_to: upTo }, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const count = await saveAllRead(tx, personId, upTo);
        const unread = count > 0 ? await changed(tx, personId) : { unread: await unreadOf(tx, personId) };
        return { up_to: upTo, ...unread };
      })
    ),
    handleCall(deleteNotice)(({ id }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        if (!(await unlist(tx, personId, id))) return refuse(noticeUnknown);
        return { id, ...await changed(tx, personId) };
      })
    ),
    handleCall(listOutbox)(async ({ before }, { scope }) => {
      const mails = await data.tx(scope, (tx) => listMessages(tx, before ?? null));
      return {
        mails: mails.map((mail) => ({
          ...mail,
          at: mail.at.toISOString(),
          to: mail.channel === 'sms' ? maskedPhone(mail.to) : mail.to,
        })),
        next: mails.length === OUTBOX_PAGE ? (mails.at(-1)?.id ?? null) : null,
      };
    }),
  ];
}
