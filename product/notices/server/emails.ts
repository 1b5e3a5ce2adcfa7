import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import type { RateLimits, RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import { customerNetwork } from '#platform/http/address.ts';
import type { TextOf, TextValues } from '#platform/text/message-keys.ts';
import { mailboxOf } from '#platform/text/usernames.ts';
import type { SiteService } from '#product/site/server.ts';
import { recipient, type Recipient } from '../extension-points.ts';
import { MAX_VALUE_LENGTH, type MailKind, type NoticeName } from '../rules.ts';
import { htmlOf, isRecipient, subjectLine, typedValues, UNCONFIRMED_PER_DAY } from '../rules/email.ts';
import type { Mailer } from './mailer.ts';

/** The content of a link in an email: its person, and the kind that its button ends. */
export interface EmailToken {
  readonly person: number;
  /** Digest of the address: the link works only for the address it was sent to. */
  readonly address: string;
  readonly kind: string;
}

/** An email that a person's own action asks for. */
export interface OwnEmail {
  readonly to: string;
  /** Whether somebody proved that they read the address; otherwise it gets no text that a person typed. */
  readonly isConfirmed: boolean;
  readonly kind: MailKind;
  /** The recipient's language, never that of the person who asked for the email. */
  readonly locale: string;
  /** Null for somebody without an account. */
  readonly personId: number | null;
  /** Address of the request that asks for it; null where a deadline does. */
  readonly address: string | null;
  /** The recipient's username: greetings use it, because it cannot look like an address. */
  readonly username: string;
  /** Texts of the site itself; only `link` becomes a link. */
  readonly values: TextValues;
  /** Texts that a person typed: one line without addresses, and left out for an unconfirmed address. */
  readonly typed?: Readonly<Record<string, string>>;
}

/** An email to a person's current address. */
export interface PersonEmail {
  readonly kind: MailKind;
  /** Its values, in the person's language. */
  readonly values: (locale: string) => TextValues;
  /** The language of an account that has none recorded. */
  readonly locale: string;
  /** The {@link Emails.networkOf} of the request that led to it; none where a deadline does. */
  readonly network?: string | null;
}

/** A notice as its email shows it. */
export interface EmailedNotice {
  readonly kind: NoticeName;
  readonly title: string;
  readonly text: string;
  readonly link: string;
}

/** A site's brand and URL, read once for many emails. */
export interface Sender {
  readonly brand: string;
  readonly address: string;
}

interface EmailDependencies {
  readonly mailer: Mailer;
  readonly text: TextOf;
  readonly site: Pick<SiteService, 'sellerIn' | 'addressIn'>;
  readonly secret: string;
  readonly apiBase: string;
  readonly limits: RateLimitStore;
  readonly extensions: Extensions;
}

/** Counters of accounts, addresses and networks: more than sign up in a day. */
const MAX_COUNTED = 200_000;

/** Writes emails: subject, text, HTML, and how to end them. */
export class Emails {
  readonly #deps: EmailDependencies;
  readonly #limits: RateLimits;

  constructor(deps: EmailDependencies) {
    this.#deps = deps;
    this.#limits = deps.limits.family('notices.unconfirmed', { maxKeys: MAX_COUNTED, whenAway: 'local' });
  }

  /**
   * Sends an email that nobody can switch off, as a person's own action asks for. An unconfirmed address gets
   * only so many a day.
   */
  send(tx: Tx, email: OwnEmail): Promise<void> {
    return this.#sendFrom(tx, email, email.address === null ? null : this.networkOf(tx, email.address));
  }

  /** A digest of an address's network, by which emails are counted. */
  networkOf({ operatorId }: Pick<Tx, 'operatorId'>, address: string): string | null {
    const network = customerNetwork(address);
    return network === null ? null : this.#keyOf(operatorId, `network ${network}`);
  }

  async #sendFrom(tx: Tx, email: OwnEmail, network: string | null): Promise<void> {
    const { to, kind, locale, ...filled } = email;
    if (!isRecipient(to)) throw new Error('the recipient is not one plain address');
    if (!email.isConfirmed && !(await this.#mayReach(tx, email, network))) return;
    const { mailer, text } = this.#deps;
    const { username, isConfirmed, typed = {} } = filled;
    const values = {
      ...filled.values,
      ...typedValues({ username, isConfirmed, typed }, MAX_VALUE_LENGTH),
    };
    const body = text(locale, `${kind}.text`, values);
    await mailer.accept(tx, {
      to,
      personId: email.personId,
      kind,
      text: body,
      subject: subjectLine(text(locale, `${kind}.subject`, values)),
      html: htmlOf(body, { locale, footer: null, links: [String(filled.values['link'] ?? '')] }),
      brand: String(filled.values['site'] ?? filled.values['brand'] ?? ''),
      unsubscribe: null,
    });
  }

  /** Sends an email that nobody can switch off to a person's own address, in their language. */
  async sendTo(
    tx: Tx,
    personId: number,
    { kind, values, locale: usual, network = null }: PersonEmail,
  ): Promise<void> {
    const person = (await this.#deps.extensions.one(recipient).find(tx, [personId])).get(personId);
    if (!person) return;
    const locale = person.locale ?? usual;
    const { email: to, isEmailConfirmed: isConfirmed, username } = person;
    await this.#sendFrom(tx, {
      to,
      isConfirmed,
      kind,
      locale,
      personId,
      username,
      address: null,
      values: values(locale),
    }, network);
  }

  /** Counts an email to an unconfirmed address by account, mailbox and network; false for one too many. */
  async #mayReach(
    { operatorId }: Tx,
    { personId, to }: OwnEmail,
    network: string | null,
  ): Promise<boolean> {
    const keyOf = (what: string): string => this.#keyOf(operatorId, what);
    const { account, address: mailbox, network: ofNetwork } = UNCONFIRMED_PER_DAY;
    return (await this.#limits.takeAll([
      ...(personId === null ? [] : [{ key: keyOf(`account ${personId}`), limit: account }]),
      { key: keyOf(`address ${mailboxOf(to.toLowerCase())}`), limit: mailbox },
      ...(network === null ? [] : [{ key: network, limit: ofNetwork }]),
    ])) === 0;
  }

  #keyOf(operatorId: number, what: string): string {
    return digest(this.#deps.secret, `notices unconfirmed emails of operator ${operatorId}`, what);
  }

  async senderOf(tx: Tx, siteId: number): Promise<Sender> {
    const { site } = this.#deps;
    const { brand } = await site.sellerIn(tx, siteId);
    return { brand, address: await site.addressIn(tx, siteId) };
  }

  /** Sends a notice as an email, with the ways to end such emails (RFC 8058). */
  async notify(
    tx: Tx,
    personId: number,
    { email: to }: Recipient,
    locale: string,
    notice: EmailedNotice,
    sender: Sender,
  ): Promise<void> {
    const { mailer, text, apiBase } = this.#deps;
    const token = this.tokenOf(tx, personId, to, notice.kind);
    const settings = `${sender.address}/email/subscription?token=${token}`;
    const footer = text(locale, 'notices:email.footer', { site: sender.brand, link: settings });
    const link = `${sender.address}${notice.link}`;
    const body = `${notice.text}\n\n${link}`;
    await mailer.accept(tx, {
      to,
      personId,
      kind: notice.kind,
      subject: subjectLine(notice.title),
      brand: sender.brand,
      text: `${body}\n\n-- \n${footer}`,
      html: htmlOf(body, { locale, footer, links: [link, settings] }),
      unsubscribe: `${sender.address}${apiBase}/email/unsubscribe/${token}`,
    });
  }

  /** A sealed token with a person's id, a digest of the address and a kind. It does not expire. */
  tokenOf({ operatorId }: Pick<Tx, 'operatorId'>, person: number, email: string, kind: string): string {
    const token: EmailToken = { person, address: this.#digest(email), kind };
    return seal(this.#deps.secret, purposeOf(operatorId), token);
  }

  /** The content of a token; null for one that is not ours. */
  tokenIn({ operatorId }: Pick<Tx, 'operatorId'>, token: string): EmailToken | null {
    return unseal(this.#deps.secret, purposeOf(operatorId), token) as EmailToken | null;
  }

  /** Whether a token was sent to the address the person has now. */
  isCurrent({ address }: EmailToken, { email }: Pick<Recipient, 'email'>): boolean {
    return address === this.#digest(email);
  }

  #digest(email: string): string {
    return digest(this.#deps.secret, 'notices address', email);
  }
}

const purposeOf = (operatorId: number): string => `notices unsubscribe of operator ${operatorId}`;
