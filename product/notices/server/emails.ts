import { digest, seal, unseal } from '../../../platform/data/database/seal.ts';
import type { Tx } from '../../../platform/data/data.ts';
import type { TextOf, TextValues } from '../../../platform/text/message-keys.ts';
import type { SiteService } from '../../site/server.ts';
import type { Recipient } from '../extension-points.ts';
import { htmlOf, isRecipient, subjectLine } from '../rules/email.ts';
import type { MailKind, NoticeName } from '../rules.ts';
import type { Mailer } from './mailer.ts';

/** What a link in an email says: of whom, and which kind its button ends. */
export interface EmailToken {
  readonly person: number;
  /** Digest of the address, so that a link ends with the address it was sent to. */
  readonly address: string;
  readonly kind: string;
}

/** A notice as its email shows it. */
export interface EmailedNotice {
  readonly kind: NoticeName;
  readonly title: string;
  readonly text: string;
  readonly link: string;
}

/** The brand of a site and where it is, read once for many emails. */
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
}

/** Writes emails: subject, text, HTML, and how to end them. */
export class Emails {
  readonly #deps: EmailDependencies;

  constructor(deps: EmailDependencies) {
    this.#deps = deps;
  }

  /** An email that nobody can switch off, as a person's own action asks for. */
  async send(tx: Tx, { to, kind, locale, values }: {
    to: string; kind: MailKind; locale: string; values: TextValues;
  }): Promise<void> {
    if (!isRecipient(to)) throw new Error('the recipient is not one plain address');
    const { mailer, text } = this.#deps;
    const body = text(locale, `${kind}.text`, values);
    await mailer.accept(tx, {
      to, kind, subject: subjectLine(text(locale, `${kind}.subject`, values)), text: body,
      html: htmlOf(body, { locale, footer: null }), brand: String(values['site'] ?? values['brand'] ?? ''),
      unsubscribe: null,
    });
  }

  async senderOf(tx: Tx, siteId: number): Promise<Sender> {
    const { site } = this.#deps;
    const { brand } = await site.sellerIn(tx, siteId);
    return { brand, address: await site.addressIn(tx, siteId) };
  }

  /** A notice as an email, with the ways to end such emails (RFC 8058). */
  async notify(
    tx: Tx, personId: number, recipient: Recipient, locale: string, notice: EmailedNotice, sender: Sender,
  ): Promise<void> {
    const { mailer, text, apiBase } = this.#deps;
    const token = this.tokenOf(tx, personId, recipient.email, notice.kind);
    const footer = text(locale, 'notices:email.footer', {
      site: sender.brand, link: `${sender.address}/email/subscription?token=${token}`,
    });
    const body = `${notice.text}\n\n${sender.address}${notice.link}`;
    await mailer.accept(tx, {
      to: recipient.email, kind: notice.kind, subject: subjectLine(notice.title), brand: sender.brand,
      text: `${body}\n\n-- \n${footer}`, html: htmlOf(body, { locale, footer }),
      unsubscribe: `${sender.address}${apiBase}/email/unsubscribe/${token}`,
    });
  }

  /** Readable by nobody who matters: it names a person's id and a kind, and is sealed. It does not expire. */
  tokenOf({ operatorId }: Pick<Tx, 'operatorId'>, person: number, email: string, kind: string): string {
    const token: EmailToken = { person, address: this.#digest(email), kind };
    return seal(this.#deps.secret, purposeOf(operatorId), token);
  }

  /** What a token says; null for one that is not ours. */
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
