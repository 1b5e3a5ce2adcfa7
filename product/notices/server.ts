import { handleCall, type Slice } from '../../platform/contract/bind.ts';
import type { Data, Tx } from '../../platform/data/data.ts';
import type { HostPort } from '../../platform/http/host-port.ts';
import { listOutbox } from './contract.ts';
import { isRecipient, OUTBOX_PAGE, subjectLine, type MailKind } from './rules.ts';
import { keepMail, listMails, type Mail } from './store.ts';

/** Who carries mail away. It is handed over within the unit of work, so a rolled back one sends nothing. */
export interface Mailer {
  readonly hand: (tx: Tx, mail: Mail) => Promise<void>;
}

/** The mailer of development and tests: keeps mails where an admin can read them. */
const developmentOutbox: Mailer = { hand: keepMail };

export interface NoticesService {
  /**
   * Sends a mail in the recipient's language. Its subject and text stand in the messages of the sending
   * slice under `<kind>.subject` and `<kind>.text`. Throws for a recipient that is not one plain address.
   */
  readonly send: (tx: Tx, notice: {
    to: string; kind: MailKind; locale: string; values: Readonly<Record<string, string | number>>;
  }) => Promise<void>;
}

export type NoticesSlice = Slice<NoticesService>;

/** How anyone is told anything; so far by mail, into the development outbox. */
export function noticesSlice({ data, text }: { data: Data; text: HostPort['text'] }): NoticesSlice {
  const mailer = developmentOutbox;
  const service: NoticesService = {
    send: (tx, { to, kind, locale, values }) => {
      if (!isRecipient(to)) throw new Error('the recipient is not one plain address');
      const subject = subjectLine(text(locale, `${kind}.subject`, values));
      return mailer.hand(tx, { to, subject, text: text(locale, `${kind}.text`, values), kind });
    },
  };
  const answers = [
    handleCall(listOutbox)(async ({ before }, { scope }) => {
      const mails = await data.tx(scope, (tx) => listMails(tx, before ?? null));
      return {
        mails: mails.map((mail) => ({ ...mail, at: mail.at.toISOString() })),
        next: mails.length === OUTBOX_PAGE ? (mails.at(-1)?.id ?? null) : null,
      };
    }),
  ];
  return { name: 'notices', service, callHandlers: answers };
}
