import type { CallContext, Scope } from '../../../platform/contract/context.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { digest, seal, unseal } from '../../../platform/data/database/seal.ts';
import type { MailKind } from '../../notices/rules.ts';
import type { NoticesService } from '../../notices/server.ts';
import type { SiteService } from '../../site/server.ts';
import { CONFIRM_SECONDS } from '../rules.ts';
import { confirmAddress, findById, type Account } from '../store.ts';

type RequestPlace = Pick<CallContext, 'origin' | 'locale'>;

interface Confirmation {
  readonly person: number;
  /** Digest of the address, so that the link does not reveal it and is valid for this address only. */
  readonly address: string;
  readonly until: number;
}

/** Emails about a person's own account, and the links in them. */
export class AccountEmails {
  readonly #notices: NoticesService;
  readonly #site: Pick<SiteService, 'linkOrigin'>;
  readonly #secret: string;

  constructor(notices: NoticesService, site: Pick<SiteService, 'linkOrigin'>, secret: string) {
    this.#notices = notices;
    this.#site = site;
    this.#secret = secret;
  }

  async welcome(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    const link = this.#link(tx, person, where);
    await this.#send(tx, person, where, 'accounts:mails.welcome', { site, link });
  }

  async confirm(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    const link = this.#link(tx, person, where);
    await this.#send(tx, person, where, 'accounts:mails.confirm', { site, link });
  }

  async passwordChanged(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    await this.#send(tx, person, where, 'accounts:mails.passwordChanged', { site });
  }

  /** Confirms the address a link was sent to; false when the link is invalid or expired. */
  async redeemLink(tx: Tx, scope: Scope, token: string): Promise<boolean> {
    const sealed = unseal(this.#secret, purpose(scope.operatorId), token) as Confirmation | null;
    if (!sealed || sealed.until <= tx.now.getTime()) return false;
    const person = await findById(tx, sealed.person);
    if (!person || this.#digest(person.email) !== sealed.address) return false;
    return confirmAddress(tx, person.id, person.email);
  }

  #link(tx: Tx, { id, email }: Account, { origin }: RequestPlace): string {
    const until = tx.now.getTime() + CONFIRM_SECONDS * 1000;
    const confirmation: Confirmation = { person: id, address: this.#digest(email), until };
    const token = seal(this.#secret, purpose(tx.operatorId), confirmation);
    return `${this.#site.linkOrigin(origin)}/confirm-email?token=${token}`;
  }

  #digest(email: string): string {
    return digest(this.#secret, 'accounts confirmed address', email);
  }

  #send(
    tx: Tx, person: Account, { locale }: RequestPlace, kind: MailKind, values: Record<string, string>,
  ): Promise<void> {
    const { displayName: name, username } = person;
    return this.#notices.send(tx, {
      to: person.email, kind, locale: person.settings.locale ?? locale, values: { name, username, ...values },
    });
  }
}

const purpose = (operatorId: number): string => `accounts e-mail confirmation of operator ${operatorId}`;
