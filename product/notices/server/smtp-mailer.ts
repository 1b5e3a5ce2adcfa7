import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import { MessageRefused, openSmtp, type SmtpSettings } from '#platform/outgoing/smtp.ts';
import { isInvented, retryWaitMs } from '../rules/email.ts';
import { Deliveries } from './deliveries.ts';
import { developmentOutbox, type Email, type Mailer } from './mailer.ts';

export interface SmtpMailer extends Mailer {
  readonly deadlineHandler: () => DeadlineHandler;
  readonly close: () => void;
}

/**
 * Sends emails through a mail server; each is stored until the server has it. Those to a demo's invented
 * people stay in the admins' outbox: a mail server could not deliver them to anybody.
 */
export function smtpMailer({ data, smtp, secret, onError }: {
  readonly data: Data;
  readonly smtp: SmtpSettings;
  readonly secret: string;
  readonly onError: (error: unknown) => void;
}): SmtpMailer {
  const transport = openSmtp(smtp);
  const deliveries = new Deliveries({
    data,
    channel: 'email',
    onError,
    send: async (operatorId, { id, payload }) => {
      const { brand, personId: _personId, ...email } = payload as Email;
      // Identifies the email in every try, without revealing the site's numbers.
      const name = digest(secret, 'notices email', `${operatorId}:${id}`);
      await transport.send({ ...email, fromName: brand, id: name });
    },
    waitMs: (failures, error) => (error instanceof MessageRefused ? null : retryWaitMs(failures)),
  });
  return {
    accept: (
      tx,
      email,
    ) => (isInvented(email.to) ? developmentOutbox.accept(tx, email) : deliveries.accept(tx, [email])),
    deadlineHandler: deliveries.deadlineHandler,
    close: () => transport.close(),
  };
}
