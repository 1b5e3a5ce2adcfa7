import { handleCall, type Slice } from '../../platform/contract/bind.ts';
import type { Data, Tx } from '../../platform/data/data.ts';
import type { TextOf } from '../../platform/text/message-keys.ts';
import { listOutbox } from './contract.ts';
import { isRecipient, OUTBOX_PAGE, subjectLine, type MailKind } from './rules.ts';
import { listMails, saveMail, type Mail } from './store.ts';

/** Sends emails. It runs in the caller's unit of work, so that a rolled back unit sends nothing. */
export interface Mailer {
  readonly send: (tx: Tx, mail: Mail) => Promise<void>;
}

/** The mailer of development and tests: stores emails for admins to read. */
const developmentOutbox: Mailer = { send: saveMail };

export interface NoticesService {
  /**
   * Sends an email in the recipient's language. Subject and text are `<kind>.subject` and `<kind>.text` of
   * the sending slice's messages. Throws for a recipient that is not one plain address.
   */
  readonly send: (tx: Tx, notice: {
    to: string; kind: MailKind; locale: string; values: Readonly<Record<string, string | number>>;
  }) => Promise<void>;
}

export type NoticesSlice = Slice<NoticesService>;

/** Messages to people: so far emails, into the development outbox. */
export function noticesSlice({ data, text }: { data: Data; text: TextOf }): NoticesSlice {
  const mailer = developmentOutbox;
  const service: NoticesService = {
    send: (tx, { to, kind, locale, values }) => {
      if (!isRecipient(to)) throw new Error('the recipient is not one plain address');
      const subject = subjectLine(text(locale, `${kind}.subject`, values));
      return mailer.send(tx, { to, subject, text: text(locale, `${kind}.text`, values), kind });
    },
  };
  const callHandlers = [
    handleCall(listOutbox)(async ({ before }, { scope }) => {
      const mails = await data.tx(scope, (tx) => listMails(tx, before ?? null));
      return {
        mails: mails.map((mail) => ({ ...mail, at: mail.at.toISOString() })),
        next: mails.length === OUTBOX_PAGE ? (mails.at(-1)?.id ?? null) : null,
      };
    }),
  ];
  return { name: 'notices', service, callHandlers };
}
