import type { CallContext, Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import type { RateLimits, RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { MailKind, NoticeKind } from '#product/notices/rules.ts';
import type { NoticesService } from '#product/notices/server.ts';
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
import type { SiteService } from '#product/site/server.ts';
import { CONFIRM_SECONDS, MAILS_PER_ADDRESS, placeOf, RESET_SECONDS } from '../rules.ts';
import { MAX_ACCOUNTS_OF_MAILBOX } from '../rules/life/mailboxes.ts';
import { FORMER_EMAIL_MS } from '../rules/life/recovery.ts';
import {
  confirmAddress,
  findById,
  findOwner,
  findReset,
  lockPerson,
  saveReset,
  spendReset,
  type Account,
} from '../store.ts';
import { pendingEmailOf, takePendingEmail } from '../store/life/email-changes.ts';
import {
  findFormerEmail,
  hasFormerEmail,
  saveFormerEmail,
  type FormerEmail,
} from '../store/life/former-emails.ts';
import { isMailboxFull } from './life/mailboxes.ts';
import { deviceOf } from './sessions.ts';

/** Changes of the ways to log in; each has an email of its name. */
export type WayInChange =
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'providerAdded'
  | 'providerRemoved'
  | 'accountLinked';

/** What an email about a way to log in says; `typed` has the name that a person gave it. */
export interface WayInValues {
  readonly site: string;
  readonly provider?: string;
  readonly typed?: Readonly<Record<string, string>>;
}

/** Also in the person's list of notices; the email is always sent. */
export const NEW_DEVICE: NoticeKind = {
  name: 'accounts:notices.newDevice',
  channels: ['app', 'push'],
  usual: ['app'],
  required: ['app'],
};

/** Stands for a value that the request lacks. */
const UNKNOWN = '–';

/** Deadline of the link that restores a replaced address. */
export const FORMER_EMAIL_OVER = 'accounts.formerEmailOver';

type RequestPlace = Pick<CallContext, 'origin' | 'address'>;

interface Confirmation {
  readonly person: number;
  /** Digest of the address, so that the link does not reveal it and is valid for this address only. */
  readonly address: string;
  readonly until: number;
  /** The person's number of recoveries then; absent in links from before their first one. */
  readonly recoveries?: number;
}

/** What the link of an email confirmed. */
export interface Redeemed {
  /** With the newly confirmed address. */
  readonly person: Account;
  /** Whether it was not confirmed before. */
  readonly isNew: boolean;
  /** The confirmed address that it replaced; null for none. */
  readonly before: string | null;
}

/** Counters of addresses: more than get an email within an hour. */
const MAX_ADDRESSES = 100_000;

/** Emails about a person's own account, and the links in them. */
export class AccountEmails {
  readonly #notices: NoticesService;
  readonly #site: Pick<SiteService, 'linkOrigin' | 'settingsIn'>;
  readonly #limits: RateLimits;
  readonly #secret: string;

  constructor(
    notices: NoticesService,
    site: Pick<SiteService, 'linkOrigin' | 'settingsIn'>,
    limits: RateLimitStore,
    secret: string,
  ) {
    this.#notices = notices;
    this.#site = site;
    this.#limits = limits.family('accounts.emails', { maxKeys: MAX_ADDRESSES, whenAway: 'local' });
    this.#secret = secret;
  }

  /** Counts an email to an address that anybody can enter; false when it got too many lately. */
  async mayWrite(scope: Scope, email: string): Promise<boolean> {
    return (await this.#limits.take(this.nameOf(scope, email), MAILS_PER_ADDRESS)) === 0;
  }

  /**
   * The same for a log-in code, counted separately: a reset, which anybody can ask for without a password,
   * must not use up the codes of the owner.
   */
  async mayWriteCode(scope: Scope, email: string): Promise<boolean> {
    return (await this.#limits.take(this.nameOf(scope, `code to ${email}`), MAILS_PER_ADDRESS)) === 0;
  }

  /** A name for an address that does not reveal it. */
  nameOf({ operatorId }: Scope, email: string): string {
    return digest(this.#secret, `accounts emails of operator ${operatorId}`, email);
  }

  async welcome(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    await this.#confirmation(tx, person, where, 'accounts:mails.welcome', site);
  }

  /** @param person with the address to be confirmed */
  async confirm(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    await this.#confirmation(tx, person, where, 'accounts:mails.confirm', site);
  }

  /**
   * Reports that somebody asked for another address, that it counts now, or that an earlier one was restored.
   * The replaced address gets a link that restores it.
   * @param person with the address of the recipient
   */
  async emailChange(
    tx: Tx,
    person: Account,
    where: RequestPlace,
    kind: 'emailAsked' | 'emailChanged' | 'emailRestored',
    { site, email }: { readonly site: string; readonly email: string },
  ): Promise<void> {
    const link = kind === 'emailChanged'
      ? await this.#restoreLink(tx, person, where)
      : `${this.#site.linkOrigin(where.origin)}/account/settings`;
    const typed = { email: hintOf(email) };
    await this.#send(tx, person, where, `accounts:mails.${kind}`, { site, link }, { typed });
  }

  /** The address that a link restores; null when the link is over or invalid. */
  formerEmailOf(tx: Tx, token: string): Promise<FormerEmail | null> {
    return findFormerEmail(tx, this.#formerDigest(token), new Date(tx.now.getTime() - FORMER_EMAIL_MS));
  }

  /** Sends a link for a new password to an address that was restored. */
  async emailBack(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    const link = await this.resetLink(tx, person, where.origin);
    await this.#send(tx, person, where, 'accounts:mails.emailBack', { site, link });
  }

  /** Reports that somebody asked for a copy of the person's data. */
  async copyAsked(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    const link = `${this.#site.linkOrigin(where.origin)}/account/settings`;
    await this.#send(tx, person, where, 'accounts:mails.copyAsked', { site, link });
  }

  async usernameChanged(
    tx: Tx,
    person: Account,
    where: RequestPlace,
    { site, before }: { readonly site: string; readonly before: string },
  ): Promise<void> {
    const link = `${this.#site.linkOrigin(where.origin)}/account/settings`;
    await this.#send(tx, person, where, 'accounts:mails.usernameChanged', { site, link }, {
      typed: { before },
    });
  }

  /** Sends a link for a new password. */
  async resetPassword(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    const link = await this.resetLink(tx, person, where.origin);
    await this.#send(tx, person, where, 'accounts:mails.resetPassword', { site, link });
  }

  /** Makes the link for a new password; the person's earlier one ends. */
  async resetLink(tx: Tx, person: Account, origin: string): Promise<string> {
    const token = randomId();
    const expiresAt = new Date(tx.now.getTime() + RESET_SECONDS * 1000);
    await saveReset(tx, person.id, this.#resetDigest(token), expiresAt);
    // With the name, for the password manager that saves the new one; an unconfirmed address gets no name.
    const name = person.emailConfirmedAt === null ? '' : `name=${person.username}&`;
    return `${this.#site.linkOrigin(origin)}/reset-password?${name}token=${token}`;
  }

  /** The person of a reset link, who may choose a password with it; null when it is invalid. */
  personOfReset(tx: Tx, token: string): Promise<Account | null> {
    return findReset(tx, this.#resetDigest(token));
  }

  /** Uses up a reset link; false when another request was faster. */
  spendReset(tx: Tx, token: string): Promise<boolean> {
    return spendReset(tx, this.#resetDigest(token));
  }

  async passwordChanged(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    await this.#send(tx, person, where, 'accounts:mails.passwordChanged', { site });
  }

  /** Reports that a number now counts as the person's, or that another account confirmed theirs. */
  async phone(
    tx: Tx,
    person: Account,
    where: RequestPlace,
    kind: 'phoneConfirmed' | 'phoneMoved',
    values: { readonly site: string; readonly phone: string },
  ): Promise<void> {
    const link = `${this.#site.linkOrigin(where.origin)}/account/settings`;
    await this.#send(tx, person, where, `accounts:mails.${kind}`, { ...values, link });
  }

  /** The code for a log-in from a new network, which nobody else may learn. */
  async loginCode(
    tx: Tx,
    person: Account,
    where: RequestPlace,
    values: { readonly site: string; readonly code: string },
  ): Promise<void> {
    const link = `${this.#site.linkOrigin(where.origin)}/forgot-password`;
    await this.#send(tx, person, where, 'accounts:mails.loginCode', { ...values, link });
  }

  /** Reports that two-step log-in was turned on or off. */
  async twoFactor(tx: Tx, person: Account, where: RequestPlace, site: string, isOn: boolean): Promise<void> {
    const kind = isOn ? 'accounts:mails.twoFactorOn' : 'accounts:mails.twoFactorOff';
    await this.#send(tx, person, where, kind, { site });
  }

  /**
   * Reports that an admin reset the second step of a member of staff, who is logged out and sets up another.
   */
  async secondStepReset(tx: Tx, person: Account, where: RequestPlace, site: string): Promise<void> {
    const link = `${this.#site.linkOrigin(where.origin)}/account/settings`;
    await this.#send(tx, person, where, 'accounts:mails.secondStepReset', { site, link });
  }

  /** Reports that a way to log in was added or removed. */
  async wayIn(
    tx: Tx,
    person: Account,
    where: RequestPlace,
    kind: WayInChange,
    { site, provider = '', typed = {} }: WayInValues,
  ): Promise<void> {
    const link = `${this.#site.linkOrigin(where.origin)}/account/settings`;
    await this.#send(tx, person, where, `accounts:mails.${kind}`, { site, provider, link }, { typed });
  }

  /** Reports a log-in with a browser that was never logged in before. */
  async newDevice(
    tx: Tx,
    person: Account,
    where: RequestPlace & Pick<CallContext, 'userAgent' | 'region'>,
    site: string,
  ): Promise<void> {
    const { browser, platform, region } = deviceOf(where);
    const { isoCode } = placeOf(region);
    const countries = new Intl.DisplayNames(recipientIn(person).locale, { type: 'region' });
    await this.#send(tx, person, where, 'accounts:mails.newDevice', {
      site,
      browser: browser || UNKNOWN,
      platform: platform || UNKNOWN,
      country: isoCode === null ? UNKNOWN : countries.of(isoCode) ?? isoCode,
      time: `${tx.now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      link: `${this.#site.linkOrigin(where.origin)}/account/settings`,
    });
    await this.#notices.notify(tx, {
      personId: person.id,
      kind: NEW_DEVICE.name,
      link: '/account/settings',
      values: { browser: browser || UNKNOWN, platform: platform || UNKNOWN },
    });
  }

  /**
   * Confirms the address that a link was sent to: the person's own, or the one they change to. Null when the
   * link is invalid, has expired, or the address became somebody else's; `full` where the mailbox has
   * confirmed as many accounts as it may; `logged_out` where it changes an address and its opener is not
   * logged in to the account.
   * @param openerId the person logged in where the link was opened
   */
  async redeemLink(
    tx: Tx,
    scope: Scope,
    token: string,
    openerId: number | null,
  ): Promise<Redeemed | 'full' | 'logged_out' | null> {
    const sealed = unseal(this.#secret, purpose(scope.operatorId), token) as Confirmation | null;
    if (!sealed || sealed.until <= tx.now.getTime()) return null;
    // Locked, so that of a concurrent recovery and link the later one sees what the earlier one did.
    const person = await findById(tx, sealed.person) && await lockPerson(tx, sealed.person);
    if (!person || person.deletionRequestedAt !== null) return null;
    if ((sealed.recoveries ?? 0) !== person.recoveries) return null;
    if (this.#digest(person.email) === sealed.address) {
      if (await this.isMailboxFull(tx, person, person.email)) return 'full';
      const outcome = await confirmAddress(tx, person.id, person.email);
      return outcome === 'refused' ? null : { person, isNew: outcome === 'confirmed', before: null };
    }
    const pending = await pendingEmailOf(tx, person.id);
    if (pending === null || this.#digest(pending) !== sealed.address) return null;
    if (openerId !== person.id && await this.#leadsBack(tx, person)) return 'logged_out';
    if (await this.isMailboxFull(tx, person, pending)) return 'full';
    if (!(await takePendingEmail(tx, person.id, pending))) return null;
    return {
      person: { ...person, email: pending },
      isNew: true,
      before: person.emailConfirmedAt === null ? null : person.email,
    };
  }

  /**
   * Whether there is a confirmed or former address by which the holder of an account can take it back. Then a
   * new address counts only when the holder opens its link: otherwise the holder could enter somebody else's
   * address, trick its owner into confirming it, and later take back an account that this person uses.
   */
  async #leadsBack(tx: Tx, { id, emailConfirmedAt }: Account): Promise<boolean> {
    return emailConfirmedAt !== null || hasFormerEmail(tx, id, new Date(tx.now.getTime() - FORMER_EMAIL_MS));
  }

  /** Whether the mailbox of an address already has as many confirmed accounts besides this one as it may. */
  async isMailboxFull(tx: Tx, { id }: Account, email: string): Promise<boolean> {
    const { limitMailboxes } = await this.#site.settingsIn(tx);
    return isMailboxFull(tx, limitMailboxes ? MAX_ACCOUNTS_OF_MAILBOX : null, {
      email,
      isConfirmed: true,
      besides: id,
    });
  }

  /** Sends a link that confirms the address; if it is somebody else's, its owner gets an email instead. */
  async #confirmation(
    tx: Tx,
    person: Account,
    where: RequestPlace,
    kind: MailKind,
    site: string,
  ): Promise<void> {
    const owner = await findOwner(tx, person.email);
    if (!owner || owner.id === person.id) {
      // The address may differ from the account's confirmed one.
      return this.#send(tx, person, where, kind, { site, link: this.#link(tx, person, where) }, {
        isConfirmed: false,
      });
    }
    const link = `${this.#site.linkOrigin(where.origin)}/forgot-password`;
    return this.#send(tx, owner, where, 'accounts:mails.alreadyMember', { site, link });
  }

  /** @param person with the address that was theirs until now */
  async #restoreLink(tx: Tx, person: Account, { origin }: RequestPlace): Promise<string> {
    const token = randomId();
    const { id: personId, email, addressProvenAt } = person;
    const digested = this.#formerDigest(token);
    await saveFormerEmail(tx, { personId, email, wasProven: addressProvenAt !== null, digest: digested });
    const at = new Date(tx.now.getTime() + FORMER_EMAIL_MS);
    await tx.schedule({ kind: FORMER_EMAIL_OVER, key: digested, at, payload: { personId } });
    return `${this.#site.linkOrigin(origin)}/restore-email?token=${token}`;
  }

  #formerDigest(token: string): string {
    return digest(this.#secret, 'accounts former address', token);
  }

  #resetDigest(token: string): string {
    return digest(this.#secret, 'accounts password reset', token);
  }

  #link(tx: Tx, { id, email, recoveries }: Account, { origin }: RequestPlace): string {
    const until = tx.now.getTime() + CONFIRM_SECONDS * 1000;
    const confirmation: Confirmation = { person: id, address: this.#digest(email), until, recoveries };
    const token = seal(this.#secret, purpose(tx.operatorId), confirmation);
    return `${this.#site.linkOrigin(origin)}/confirm-email?token=${token}`;
  }

  #digest(email: string): string {
    return digest(this.#secret, 'accounts confirmed address', email);
  }

  #send(
    tx: Tx,
    person: Account,
    { address }: RequestPlace,
    kind: MailKind,
    values: Record<string, string>,
    { typed = {}, isConfirmed = person.emailConfirmedAt !== null }: {
      readonly typed?: Readonly<Record<string, string>>;
      readonly isConfirmed?: boolean;
    } = {},
  ): Promise<void> {
    return this.#notices.send(tx, {
      to: person.email,
      kind,
      ...recipientIn(person),
      address,
      values,
      typed,
      isConfirmed,
    });
  }
}

/** The recipient of an email, and its language: theirs, whoever caused it. */
export const recipientIn = ({ id, username, settings }: Account) => ({
  personId: id,
  username,
  locale: settings.locale ?? DEFAULT_LOCALE,
});

/** A masked address that its owner recognizes, and that no mail program turns into a link. */
export const hintOf = (email: string): string => {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}•••@${email.slice(at + 1, at + 2)}•••`;
};

const purpose = (operatorId: number): string => `accounts e-mail confirmation of operator ${operatorId}`;
