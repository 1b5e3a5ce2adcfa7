import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { LOCALE_COOKIE } from '#product/site/rules.ts';
import {
  placeUnknown,
  settingRefused,
  settingsChanged,
  updateSettings,
  type SettingKey,
  type SettingsInput,
  type SettingsView,
  type SettingValues,
  type StoredSettings,
} from '../contract/settings.ts';
import { settingsPart, type SettingFault, type SettingsPart } from '../extension-points.ts';
import { asSaved, DEFAULT_SETTINGS, twitterOf } from '../rules/settings.ts';
import { lockPerson, mergeSettings, type Account } from '../store.ts';
import { endPhone } from '../store/phones.ts';
import { lockCaller } from './credentials/ways-in.ts';

/** The language choice lasts as long as browsers store cookies (RFC 6265bis §5.5: 400 days). */
const LOCALE_SECONDS = 400 * 24 * 3600;

/** Why a change is not saved, and of which setting. */
interface Refusal {
  readonly fault: SettingFault;
  readonly setting: SettingKey;
}

/** People's settings: those stored here, and those of the slices that own them. */
export class SettingsOfPeople {
  readonly #extensions: Extensions;
  readonly #publishChange: (tx: Tx, person: Account) => Promise<void>;

  /** @param publishChange called when what others see of somebody changes */
  constructor(extensions: Extensions, publishChange: (tx: Tx, person: Account) => Promise<void>) {
    this.#extensions = extensions;
    this.#publishChange = publishChange;
  }

  /** All settings and blocked places of a person; null for a guest, who has the defaults. */
  async of(tx: Tx, person: Account | null): Promise<SettingValues> {
    const values: SettingValues = {
      ...DEFAULT_SETTINGS,
      blocked_countries: [],
      blocked_states: [],
    };
    if (!person) return values;
    Object.assign(values, person.settings);
    for (const part of this.#parts()) Object.assign(values, await part.read(tx, person));
    return values;
  }

  /** Sends a person's settings to all their tabs: after each change, wherever it was made. */
  async send(tx: Tx, person: Account): Promise<void> {
    await sendValues(tx, person.id, await this.of(tx, person));
  }

  /** Saves all of a change, or nothing. */
  async change(tx: Tx, personId: number, input: SettingsInput): Promise<SettingValues | Refusal> {
    const person = await lockPerson(tx, personId);
    const owned = this.#parts().flatMap((part) => {
      const keys = part.keys.filter((key) => key in input && input[key as keyof SettingsInput] !== undefined);
      return keys.length === 0 ? [] : [{ part, keys, change: only(input, keys) }];
    });
    for (const { part, keys: [setting], change } of owned) {
      const fault = await part.check(tx, person, change);
      if (fault !== null && setting !== undefined) return { fault, setting };
    }
    for (const { part, change } of owned) await part.write(tx, person, change);
    const own = ownOf(input, new Set(owned.flatMap(({ keys }) => keys)));
    const settings = Object.keys(own).length === 0 ? person.settings : await mergeSettings(tx, personId, own);
    const changed = { ...person, settings };
    // Text messages go to this number once it is confirmed, so a new number must be confirmed again.
    if (settings.phone !== person.settings.phone) await endPhone(tx, personId);
    if (settings.show_home !== person.settings.show_home) await this.#publishChange(tx, changed);
    const values = await this.of(tx, changed);
    await sendValues(tx, personId, values);
    return values;
  }

  #parts(): readonly SettingsPart[] {
    return this.#extensions.all(settingsPart);
  }
}

const sendValues = (tx: Tx, personId: number, values: SettingValues): Promise<void> =>
  tx.send(personChannel(personId), settingsChanged, { settings: split(values).settings });

/** The part of a change with these settings. */
const only = (input: SettingsInput, keys: readonly SettingKey[]): SettingsInput =>
  Object.fromEntries(Object.entries(input).filter(([key]) => (keys as readonly string[]).includes(key)));

/** The part of a change that accounts itself stores, as it is saved. */
function ownOf(input: SettingsInput, others: ReadonlySet<string>): StoredSettings {
  const { twitter, auto_re_ups: _reUps, blocked_countries: _countries, blocked_states: _states, ...rest } =
    asSaved(input);
  const given = Object.fromEntries(
    Object.entries(rest)
      .filter(([key, value]) => value !== undefined && !others.has(key)),
  );
  return { ...given, ...(twitter === undefined ? {} : { twitter: twitterOf(twitter) }) };
}

/** Splits settings from blocked places, as answers have them. */
export function split({ blocked_countries, blocked_states, ...settings }: SettingValues): {
  readonly settings: SettingsView;
  readonly blocked_countries: string[];
  readonly blocked_states: string[];
} {
  return { settings, blocked_countries, blocked_states };
}

export function settingsHandler(data: Data, settings: SettingsOfPeople): CallHandler {
  return handleCall(updateSettings)(async (input, context) => {
    const values = await data.tx(
      context.scope,
      async (tx) => settings.change(tx, (await lockCaller(tx, context)).id, input),
    );
    if ('fault' in values) {
      const refusal = values.fault === 'place_unknown' ? placeUnknown : settingRefused;
      return context.refuse(refusal, { extra: { setting: values.setting } });
    }
    if (input.locale) {
      context.setCookie(LOCALE_COOKIE, input.locale, { maxAgeSeconds: LOCALE_SECONDS, httpOnly: false });
    }
    return split(values);
  });
}
