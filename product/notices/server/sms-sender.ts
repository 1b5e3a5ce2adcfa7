import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import type { RateLimits, RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import { openSms, SmsUnsubscribed, type SmsSettings } from '#platform/outgoing/sms.ts';
import { MessageRefused } from '#platform/outgoing/smtp.ts';
import { isSmsNoticeLate, SMS_OF_NUMBER, smsWaitMs } from '../rules/sms.ts';
import type { Delivery } from '../store/deliveries.ts';
import { saveMessage } from '../store/outbox.ts';
import { Deliveries } from './deliveries.ts';

/** A text message, in the recipient's language. */
export interface TextMessage {
  readonly personId: number;
  /** E.164. */
  readonly to: string;
  readonly text: string;
  /** The kind that names its texts, for admins. */
  readonly kind: string;
  /** ISO 8601: not sent after this time. Null for a notice, which goes only to a confirmed number. */
  readonly until: string | null;
}

/** Delivers text messages. Both implementations pass the list in `accounts-sms.test.ts`. */
export interface SmsSender {
  /** Takes over a text message in the caller's unit of work, like `Mailer` an email. */
  readonly accept: (tx: Tx, message: TextMessage) => Promise<void>;
  readonly deadlineHandlers: () => readonly DeadlineHandler[];
}

/** The sender of the demo and of development: stores text messages for admins to read. */
export const outboxSms: SmsSender = {
  accept: (tx, { personId, to, text, kind }) =>
    saveMessage(tx, {
      to,
      text,
      kind,
      subject: '',
      channel: 'sms',
      html: null,
      unsubscribe: null,
      personId,
    }),
  deadlineHandlers: () => [],
};

export interface ProviderDependencies {
  readonly data: Data;
  readonly sms: SmsSettings;
  readonly secret: string;
  readonly limits: RateLimitStore;
  /** Whether a number is still a person's confirmed one. */
  readonly isTheirs: (tx: Tx, personId: number, number: string) => Promise<boolean>;
  /** Called when somebody answered STOP. */
  readonly stopped: (tx: Tx, personId: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Counters of numbers: more than get notices in a day. */
const MAX_NUMBERS = 100_000;

/** Sends text messages through a provider; each is stored until the provider has it. */
export function providerSms(deps: ProviderDependencies): SmsSender {
  const { data, sms, limits, onError } = deps;
  const counted = limits.family('notices.sms', { maxKeys: MAX_NUMBERS, whenAway: 'local' });
  const transport = openSms(sms);
  const deliveries = new Deliveries({
    data,
    channel: 'sms',
    onError,
    send: async (operatorId, delivery) => {
      const message = delivery.payload as TextMessage;
      if (!(await isDue(deps, counted, { operatorId }, delivery))) return;
      try {
        await transport.send(message);
      } catch (error) {
        if (!(error instanceof SmsUnsubscribed)) throw error;
        await data.tx({ operatorId }, (tx) => deps.stopped(tx, message.personId));
      }
    },
    waitMs: (failures, error) => (error instanceof MessageRefused ? null : smsWaitMs(failures)),
  });
  return {
    accept: (tx, message) => deliveries.accept(tx, [message]),
    deadlineHandlers: () => [deliveries.deadlineHandler()],
  };
}

/**
 * Whether a message should still be sent: a code while it works; a notice while its number is the person's,
 * for an hour, and within the number's limit.
 */
async function isDue(
  { data, isTheirs, secret }: ProviderDependencies,
  counted: RateLimits,
  scope: OperatorScope,
  { payload, attempts, created_at: since }: Delivery,
): Promise<boolean> {
  const { personId, to, until } = payload as TextMessage;
  if (until !== null) return data.clock.now() < new Date(until);
  if (!(await data.tx(scope, (tx) => isTheirs(tx, personId, to)))) return false;
  if (isSmsNoticeLate(since, data.clock.now())) return false;
  // A message is counted once, however often it is tried.
  if (attempts > 1) return true;
  const key = digest(secret, `notices sms of operator ${scope.operatorId}`, to);
  return (await counted.take(key, SMS_OF_NUMBER)) === 0;
}
