import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { SmsSettings } from '#platform/outgoing/sms.ts';
import type { TextOf, TextValues } from '#platform/text/message-keys.ts';
import { recipient } from '../extension-points.ts';
import { WITHOUT_CHANNEL, type SmsKind } from '../rules.ts';
import { smsText } from '../rules/sms.ts';
import { endSms } from '../store/preferences.ts';
import type { SmsOutlet } from './notifier.ts';
import { outboxSms, providerSms, type SmsSender } from './sms-sender.ts';

/** Where text messages go: to a provider, or to a demo's admins; null where the operator has no sender. */
export type SmsChoice = SmsSettings | 'outbox' | null;

export interface SmsDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly text: TextOf;
  readonly sms: SmsChoice;
  readonly secret: string;
  readonly limits: RateLimitStore;
  readonly onError: (error: unknown) => void;
}

/** A text message that a person's own action asks for. */
export interface SmsOrder {
  readonly personId: number;
  /** E.164. */
  readonly to: string;
  readonly kind: SmsKind;
  readonly locale: string;
  readonly values: TextValues;
  /** The message is not sent after this time. */
  readonly until: Date;
}

/** Text messages: those that a person's own action asks for, and notices. */
export class Sms implements SmsOutlet {
  readonly #deps: SmsDependencies;
  readonly #sender: SmsSender | null;

  constructor(deps: SmsDependencies) {
    this.#deps = deps;
    const { sms, ...given } = deps;
    this.#sender = sms === null ? null : sms === 'outbox' ? outboxSms : providerSms({
      ...given,
      sms,
      stopped: (tx, personId) => this.#stop(tx, personId),
      isTheirs: async (tx, personId, number) => (await this.#find(tx, personId))?.phone === number,
    });
  }

  /** Whether the operator has a sender; without one, text messages are offered nowhere. */
  get isOffered(): boolean {
    return this.#sender !== null;
  }

  readonly deadlineHandlers: SmsSender['deadlineHandlers'] = () => this.#sender?.deadlineHandlers() ?? [];

  readonly send = async (
    tx: Tx,
    { personId, to, kind, locale, values, until }: SmsOrder,
  ): Promise<void> => {
    if (!this.#sender) throw new Error('no sender of text messages is configured');
    const text = smsText(this.#deps.text(locale, kind, values));
    await this.#sender.accept(tx, { personId, to, kind, text, until: until.toISOString() });
  };

  /** Sends a notice to a confirmed number; a discreet one only says that there is something new. */
  readonly notify: SmsOutlet['notify'] = async (tx, notified, { address }) => {
    const { personId, recipient: { phone }, options, locale, title, link, kind } = notified;
    if (!this.#sender || phone === null) return;
    const text = options.isDiscreet
      ? smsText(this.#deps.text(locale, 'notices:sms.discreet'))
      : smsText(title, `\n${address}${link}`);
    await this.#sender.accept(tx, { personId, to: phone, kind, text, until: null });
  };

  /** A person who answered STOP gets no text messages until they choose them again. */
  async #stop(tx: Tx, personId: number): Promise<void> {
    await endSms(tx, personId);
    const person = await this.#find(tx, personId);
    if (person?.featuredShow !== 'sms') return;
    await this.#deps.extensions.one(recipient).chooseFeaturedShow(tx, personId, WITHOUT_CHANNEL);
  }

  async #find(tx: Tx, personId: number) {
    return (await this.#deps.extensions.one(recipient).find(tx, [personId])).get(personId);
  }
}
