import { personChannel } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
import { notificationCount } from '../contract.ts';
import { kinds, recipient, type Recipient } from '../extension-points.ts';
import {
  channelsFor,
  isLink,
  kindErrors,
  MAX_NOTIFIED,
  MAX_VALUE_LENGTH,
  type Channel,
  type NoticeKind,
  type NoticeName,
} from '../rules.ts';
import { typedText } from '../rules/email.ts';
import { countUnread, insertNotices, trimNotices } from '../store.ts';
import { findChosen, findOptions, optionsOf, type PersonOptions } from '../store/preferences.ts';
import type { Emails, Sender } from './emails.ts';

/** What happened, for one person or many. */
export interface Occasion {
  readonly kind: NoticeName;
  /** Values for the placeholders of its texts. */
  readonly values: Readonly<Record<string, string | number>>;
  /** A path on this site, where a click leads. */
  readonly link: string;
  /** Names the occasion: nobody is notified twice of the same one. Left out, each call is a new occasion. */
  readonly once?: string;
}

/** A person who is notified of an occasion, and how. */
export interface Notified {
  readonly personId: number;
  readonly recipient: Recipient;
  readonly options: PersonOptions;
  readonly locale: string;
  readonly title: string;
  readonly text: string;
  readonly link: string;
  readonly kind: NoticeName;
}

/** Sends notices by web push; `describe` writes the texts for a person who has a browser. */
export type PushOutlet = (
  tx: Tx,
  personIds: readonly number[],
  describe: (personId: number) => Notified,
) => Promise<void>;

/** Sends notices by text message, where the operator has a sender. */
export interface SmsOutlet {
  readonly isOffered: boolean;
  readonly notify: (tx: Tx, notified: Notified, sender: Sender) => Promise<void>;
}

interface NotifierDependencies {
  readonly extensions: Extensions;
  readonly text: TextOf;
  readonly emails: Emails;
  readonly push: PushOutlet;
  readonly sms: SmsOutlet;
}

/** Notifies people by the channels they chose. */
export class Notifier {
  readonly #deps: NotifierDependencies;
  #kinds: ReadonlyMap<string, NoticeKind> | null = null;

  constructor(deps: NotifierDependencies) {
    this.#deps = deps;
  }

  /** Every kind that slices declare, by its name. */
  get kinds(): ReadonlyMap<string, NoticeKind> {
    if (this.#kinds === null) {
      const all = this.#deps.extensions.all(kinds).flatMap((declared) => declared());
      const errors = kindErrors(all);
      if (errors.length > 0) throw new Error(`kinds of notices: ${errors.join('; ')}`);
      this.#kinds = new Map(all.map((kind) => [kind.name, kind]));
    }
    return this.#kinds;
  }

  /**
   * Notifies people of one occasion, in the caller's unit of work. Unknown and suspended people are left out.
   * Throws for more than 500 people, an undeclared kind, and a link to another site.
   * @returns how many are notified now
   */
  async notify(tx: Tx, personIds: readonly number[], occasion: Occasion): Promise<number> {
    const { kind: name, link } = occasion;
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`no slice declares notices of kind ${name}`);
    if (!isLink(link)) throw new Error(`a notice of kind ${name} leads to no path of this site`);
    if (personIds.length > MAX_NOTIFIED) throw new Error(`${personIds.length} people are too many at once`);
    if (personIds.length === 0) return 0;
    const values = cleaned(occasion.values);
    const people = await this.#deps.extensions.one(recipient).find(tx, personIds);
    const chosen = await findChosen(tx, personIds, name);
    const channels = new Map<number, readonly Channel[]>();
    for (const [id, person] of people) {
      if (person.isInactive) continue;
      channels.set(
        id,
        channelsFor(kind, {
          chosen: chosen.get(id) ?? new Map<Channel, boolean>(),
          featuredShow: person.featuredShow,
          hasSms: this.hasSms(person),
        }),
      );
    }
    const reached = [...channels].filter(([, list]) => list.length > 0);
    if (reached.length === 0) return 0;
    const isNew = await insertNotices(
      tx,
      reached.map(([personId, list]) => ({ personId, isListed: list.includes('app') })),
      { kind: name, values, link, once: occasion.once ?? null },
    );
    const fresh = reached.filter(([id]) => isNew.has(id));
    await this.#deliver(tx, new Map(fresh), people, { ...occasion, values });
    return fresh.length;
  }

  /** Whether somebody can get text messages. */
  hasSms({ phone }: Pick<Recipient, 'phone'>): boolean {
    return phone !== null && this.#deps.sms.isOffered;
  }

  /** Sends the number of unread notices to every tab of these people. */
  async sendCounts(tx: Tx, personIds: readonly number[]): Promise<void> {
    const counts = await countUnread(tx, personIds);
    for (const id of personIds) {
      await tx.send(personChannel(id), notificationCount, { count: counts.get(id) ?? 0 });
    }
  }

  async #deliver(
    tx: Tx,
    channels: ReadonlyMap<number, readonly Channel[]>,
    people: ReadonlyMap<number, Recipient>,
    occasion: Occasion,
  ): Promise<void> {
    const by = (channel: Channel): number[] =>
      [...channels].flatMap(([id, list]) => (list.includes(channel) ? [id] : []));
    const listed = by('app');
    await trimNotices(tx, [...channels.keys()]);
    if (listed.length > 0) await this.sendCounts(tx, listed);
    const beyond = [...channels].filter(([, list]) => list.some((channel) => channel !== 'app'));
    if (beyond.length === 0) return;
    const options = await findOptions(tx, beyond.map(([id]) => id));
    const describe = (id: number): Notified => {
      const one = people.get(id);
      if (!one) throw new Error('only people who were found are notified');
      return this.#notifiedOf(id, one, optionsOf(options, id), occasion);
    };
    await this.#email(tx, by('email').map(describe));
    await this.#deps.push(tx, by('push'), describe);
    await this.#text(tx, by('sms').map(describe));
  }

  #notifiedOf(
    personId: number,
    person: Recipient,
    options: PersonOptions,
    { kind, values, link }: Occasion,
  ): Notified {
    const { text } = this.#deps;
    const locale = person.locale ?? DEFAULT_LOCALE;
    return {
      personId,
      recipient: person,
      options,
      locale,
      link,
      kind,
      title: text(locale, `${kind}.title`, values),
      text: text(locale, `${kind}.text`, values),
    };
  }

  /** Only to confirmed addresses: somebody else may have typed an unconfirmed one. */
  async #email(tx: Tx, notified: readonly Notified[]): Promise<void> {
    const senderOf = this.#senders(tx);
    for (const { personId, recipient: person, locale, ...notice } of notified) {
      if (!person.isEmailConfirmed) continue;
      await this.#deps.emails.notify(tx, personId, person, locale, notice, await senderOf(person));
    }
  }

  async #text(tx: Tx, notified: readonly Notified[]): Promise<void> {
    const senderOf = this.#senders(tx);
    for (const one of notified) await this.#deps.sms.notify(tx, one, await senderOf(one.recipient));
  }

  /** Reads each site once, however many people signed up there. */
  #senders(tx: Tx): (person: Recipient) => Promise<Sender> {
    const known = new Map<number, Sender>();
    return async ({ siteId }) => {
      const sender = known.get(siteId) ?? await this.#deps.emails.senderOf(tx, siteId);
      known.set(siteId, sender);
      return sender;
    };
  }
}

const cleaned = (values: Occasion['values']): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values).map((
      [name, value],
    ) => [name, typeof value === 'string' ? typedText(value, MAX_VALUE_LENGTH) : value]),
  );
