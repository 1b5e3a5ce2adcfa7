import type { Caller } from '../../../../platform/contract/context.ts';
import type { Extensions } from '../../../../platform/contract/extension-point.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { RoomPartsView } from '../../contract.ts';
import { dataParts } from '../../extension-points.ts';

/** What a field is without an implementer. */
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
  extensions: Extensions, tx: Tx, caller: Caller, performerId: number,
): Promise<RoomPartsView> {
  const told: Partial<RoomPartsView>[] = [];
  for (const tell of extensions.all(dataParts)) told.push(await tell(tx, caller, performerId));
  const names = told.flatMap((one) => Object.keys(one));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two slices say ${twice} of a room`);
  return Object.assign({ ...NO_PARTS }, ...told) as RoomPartsView;
}
