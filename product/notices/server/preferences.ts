import { handleCall, type CallHandler, type LinkOf } from '#platform/contract/bind.ts';
import { hasPerson } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import {
  byFeaturedShow,
  channelRequired,
  getPreferences,
  getSubscription,
  kindUnknown,
  linkInvalid,
  openUnsubscribe,
  setNoticeOptions,
  setPreference,
  setSubscription,
  unsubscribe,
  type KindView,
  type PreferencesView,
  type SubscriptionView,
} from '../contract/preferences.ts';
import { callers, recipient, type Recipient } from '../extension-points.ts';
import {
  channelsFor,
  channelsOf,
  endsEmails,
  maskedEmail,
  maskedPhone,
  WITHOUT_CHANNEL,
  type Channel,
  type NoticeKind,
} from '../rules.ts';
import { findChosenOf, findOptions, optionsOf, saveDiscreet, savePreference } from '../store/preferences.ts';
import { countSubscriptions } from '../store/push.ts';
import type { Emails } from './emails.ts';
import type { Notifier, SmsOutlet } from './notifier.ts';
import type { PushProviders } from './push-providers.ts';

interface PreferenceDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly text: TextOf;
  readonly notifier: Notifier;
  readonly emails: Emails;
  readonly sms: Pick<SmsOutlet, 'isOffered'>;
  readonly providers: PushProviders;
}

/** How people are notified; for logged-in people, and for people who follow a link in an email. */
export class Preferences {
  readonly #deps: PreferenceDependencies;

  constructor(deps: PreferenceDependencies) {
    this.#deps = deps;
  }

  readonly callHandlers = (): CallHandler[] => [...this.#ownHandlers(), ...this.#emailHandlers()];

  async viewOf(tx: Tx, personId: number, locale: string): Promise<PreferencesView> {
    const person = await this.#personIn(tx, personId);
    const chosen = await findChosenOf(tx, personId);
    const { isDiscreet } = optionsOf(await findOptions(tx, [personId]), personId);
    const { featuredShow, phone } = person;
    const hasSms = this.#deps.notifier.hasSms(person);
    const provider = await this.#deps.providers.pageIn(tx);
    const kinds = [...this.#deps.notifier.kinds.values()].map((kind): KindView => {
      const on = channelsFor(kind, { chosen: chosen.get(kind.name) ?? new Map(), featuredShow, hasSms });
      return {
        kind: kind.name,
        label: this.#labelOf(kind, locale),
        by_featured_show: kind.byFeaturedShow ?? false,
        channels: channelsOf(kind, hasSms).map((channel) => ({
          channel,
          on: on.includes(channel),
          required: isRequired(kind, channel),
        })),
      };
    });
    return {
      kinds,
      featured_show_notification: featuredShow,
      email_confirmed: person.isEmailConfirmed,
      push_discreet: isDiscreet,
      push_provider: provider,
      push_browsers: await countSubscriptions(tx, personId, provider?.app_id ?? null),
      phone: phone === null ? null : maskedPhone(phone),
      sms_offered: this.#deps.sms.isOffered,
    };
  }

  #ownHandlers(): CallHandler[] {
    const { data, extensions, notifier } = this.#deps;
    return [
      handleCall(getPreferences)((_input, { scope, personId, locale }) =>
        data.tx(scope, (tx) => this.viewOf(tx, personId, locale))
      ),
      handleCall(setPreference)((input, context) =>
        data.tx(context.scope, async (tx) => {
          const { kind: name, channel, on } = input;
          const { personId, locale, refuse } = context;
          await extensions.one(callers)(tx, context);
          const kind = notifier.kinds.get(name);
          const hasSms = notifier.hasSms(await this.#personIn(tx, personId));
          if (!kind || !channelsOf(kind, hasSms).includes(channel)) return refuse(kindUnknown);
          if (kind.byFeaturedShow) return refuse(byFeaturedShow);
          if (!on && isRequired(kind, channel)) return refuse(channelRequired);
          await savePreference(tx, personId, { kind: name, channel, isOn: on });
          return this.viewOf(tx, personId, locale);
        })
      ),
      handleCall(setNoticeOptions)((input, context) =>
        data.tx(context.scope, async (tx) => {
          const { personId, locale } = context;
          await extensions.one(callers)(tx, context);
          const { featured_show_notification: choice, push_discreet: isDiscreet } = input;
          if (choice !== undefined) await extensions.one(recipient).chooseFeaturedShow(tx, personId, choice);
          if (isDiscreet !== undefined) await saveDiscreet(tx, personId, isDiscreet);
          return this.viewOf(tx, personId, locale);
        })
      ),
    ];
  }

  #emailHandlers(): CallHandler[] {
    const { data, emails, extensions, notifier } = this.#deps;
    const linkOf: LinkOf = ({ token = '' }, scope) => {
      const sealed = emails.tokenIn(scope, token);
      return sealed && `${sealed.person} ${sealed.kind}`;
    };
    return [
      handleCall(getSubscription)(({ token = null }, { scope, caller, locale, refuse }) =>
        data.tx(scope, async (tx) => {
          const personId = await this.#personOf(tx, caller.personId, token);
          if (personId === null) return refuse(linkInvalid);
          return this.#subscriptionOf(tx, personId, locale, token);
        })
      ),
      handleCall(setSubscription)(({ token = null, kind: name, on }, context) =>
        data.tx(context.scope, async (tx) => {
          const { caller, locale, refuse } = context;
          // A link in an email needs no log-in.
          if (token === null && hasPerson(context)) await extensions.one(callers)(tx, context);
          const personId = await this.#personOf(tx, caller.personId, token);
          if (personId === null) return refuse(linkInvalid);
          const all = [...notifier.kinds.values()].filter(endsEmails);
          const changed = name === undefined ? all : all.filter((kind) => kind.name === name);
          if (changed.length === 0) return refuse(kindUnknown);
          for (const kind of changed) await this.#switchEmails(tx, personId, kind, on);
          return this.#subscriptionOf(tx, personId, locale, token);
        })
      ),
      handleCall(openUnsubscribe)(async ({ token }) => ({
        status: 303 as const,
        body: '',
        headers: {
          'cache-control': 'no-store',
          location: `/email/subscription?one=1&token=${encodeURIComponent(token)}`,
        },
      }), { linkOf }),
      handleCall(unsubscribe)(({ token }, { scope, refuse, locale }) =>
        data.tx(scope, async (tx) => {
          const personId = await this.#personOf(tx, null, token);
          const kind = notifier.kinds.get(this.#deps.emails.tokenIn(tx, token)?.kind ?? '');
          if (personId === null) return refuse(linkInvalid);
          // A kind that no longer exists sends nothing.
          if (kind && endsEmails(kind)) await this.#switchEmails(tx, personId, kind, false);
          return {
            status: 200 as const,
            headers: { 'cache-control': 'no-store' },
            body: this.#deps.text(locale, 'notices:email.ended'),
          };
        }), { linkOf }),
    ];
  }

  /** The kind of the email that has a link, where such emails can still be ended. */
  #kindOf(tx: Tx, token: string | null): string | null {
    if (token === null) return null;
    const kind = this.#deps.notifier.kinds.get(this.#deps.emails.tokenIn(tx, token)?.kind ?? '');
    return kind && endsEmails(kind) ? kind.name : null;
  }

  /** The person whose emails may be changed: by the token of a link in one, else by the log-in. */
  async #personOf(tx: Tx, callerId: number | null, token: string | null): Promise<number | null> {
    if (token === null) return callerId;
    const { emails } = this.#deps;
    const sealed = emails.tokenIn(tx, token);
    const person = sealed ? await this.#recipientOf(tx, sealed.person) : null;
    return sealed && person && emails.isCurrent(sealed, person) ? sealed.person : null;
  }

  async #recipientOf(tx: Tx, personId: number): Promise<Recipient | null> {
    return (await this.#deps.extensions.one(recipient).find(tx, [personId])).get(personId) ?? null;
  }

  async #personIn(tx: Tx, personId: number): Promise<Recipient> {
    const person = await this.#recipientOf(tx, personId);
    if (!person) throw new Error(`person ${personId} has no account`);
    return person;
  }

  async #subscriptionOf(
    tx: Tx,
    personId: number,
    locale: string,
    token: string | null,
  ): Promise<SubscriptionView> {
    const person = await this.#personIn(tx, personId);
    const chosen = await findChosenOf(tx, personId);
    return {
      token,
      kind: this.#kindOf(tx, token),
      email: maskedEmail(person.email),
      kinds: [...this.#deps.notifier.kinds.values()].filter(endsEmails).map((kind) => ({
        kind: kind.name,
        label: this.#labelOf(kind, locale),
        on: channelsFor(kind, {
          chosen: chosen.get(kind.name) ?? new Map(),
          featuredShow: person.featuredShow,
          hasSms: false,
        }).includes('email'),
      })),
    };
  }

  async #switchEmails(tx: Tx, personId: number, kind: NoticeKind, isOn: boolean): Promise<void> {
    if (!kind.byFeaturedShow) {
      await savePreference(tx, personId, { kind: kind.name, channel: 'email', isOn });
      return;
    }
    const { featuredShow: now } = await this.#personIn(tx, personId);
    if (isOn === (now === 'email')) return;
    const { chooseFeaturedShow } = this.#deps.extensions.one(recipient);
    await chooseFeaturedShow(tx, personId, isOn ? 'email' : WITHOUT_CHANNEL);
  }

  #labelOf({ name }: NoticeKind, locale: string): string {
    return this.#deps.text(locale, `${name}.label`);
  }
}

const isRequired = ({ required = [] }: NoticeKind, channel: Channel): boolean =>
  required.some((item) => item === channel);
