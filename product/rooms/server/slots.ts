import type { Caller, Scope } from '../../../platform/contract/context.ts';
import { slot, type Slots } from '../../../platform/contract/slot.ts';
import type { Tx } from '../../../platform/data/data.ts';
import type { RoomPartsView } from '../contract.ts';
import type { Place } from '../rules.ts';

/** Tiers of members, as names are coloured by them. */
export interface Tier {
  readonly isVip: boolean;
  readonly isSuperVip: boolean;
}
/** Who is a VIP. They may also hide from viewers. */
export const viewerTiers = slot<(scope: Scope, personIds: readonly number[]) => Promise<
  ReadonlyMap<number, Tier>
>>({
  name: 'rooms.viewerTiers', description: 'VIP tiers of members; who is in no tier is left out.',
  fallback: async () => new Map(),
});

export const dataParts = slot<
  (tx: Tx, caller: Caller, performerId: number) => Promise<Partial<RoomPartsView>>
>({
  name: 'rooms.dataParts',
  description: 'Fields of room data that other slices know; each field has one slice that says it.',
  fallback: async () => ({}),
});

/** A chat command as typed: `/tip_split 50 4`. */
export interface Command {
  readonly performerId: number;
  readonly personId: number;
  readonly place: Place;
  readonly locale: string;
  /** Lower case, without the slash. */
  readonly name: string;
  readonly rest: string;
}
/** What became of it: done, or refused with the text of `key`; null when it is none of this slice's. */
export type CommandOutcome =
  | null | 'done' | { readonly key: string; readonly values?: Readonly<Record<string, string | number>> };
export const chatCommand = slot<(tx: Tx, command: Command) => Promise<CommandOutcome>>({
  name: 'rooms.command', description: 'Chat commands of other slices: the first that knows one.',
  fallback: async () => null,
});

/** What stands where no slice knows better. */
const NO_PARTS: RoomPartsView = {
  follower: { countRecent: 0, countTotal: 0 },
  ratings: { avgTokenPerStreamingHour: null, private: null, ticketShow: null, user: null },
  roleList: [], isVoyeur: false, showPornProfileLink: false, streaming_partners: [],
  canChargeSpyStartupTip: false, installedAppId: null, installedModuleIdList: [], friendStatus: null,
  rateToday: 'RATE_NO', notify: { isEmailEnabled: false, isSmsEnabled: false, isWebEnabled: false },
  membershipLevel: null, aiBot: null, isVr: false, privateRunningPricePerMinuteInToken: null,
  spyRunningPricePerMinuteInToken: null, privateStats: null, privateDiscount: null, limitedShow: null,
  tipSplit: null, scratchoff: null, versus: null, koth: null, versusTournament: null, userMediaList: [],
};

/** Asks every slice for its fields of a room's data. */
export async function partsOf(
  slots: Slots, tx: Tx, caller: Caller, performerId: number,
): Promise<RoomPartsView> {
  const told: Partial<RoomPartsView>[] = [];
  for (const tell of slots.all(dataParts)) told.push(await tell(tx, caller, performerId));
  const names = told.flatMap((one) => Object.keys(one));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two slices say ${twice} of a room`);
  return Object.assign({ ...NO_PARTS }, ...told) as RoomPartsView;
}
